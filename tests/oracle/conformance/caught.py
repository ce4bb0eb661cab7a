"""An object with every operation, and requests put to objects through the adapter."""

import json

from tploracle.contract.operations import OPERATIONS
from tploracle.wire.adapter import Adapter
from tploracle.wire.serve import reply

HALF = "0x1p-1"
DYADIC = [["0x1.8p-1", "0x1p-2"], ["0x0p+0", "0x1p+0"]]
EXACT = [["0.8", "1/5"], ["0", 1]]


class Caught:
    """Has every operation, notes what it is called with, and returns what it is told to."""

    numbers = ("float64", "rational")

    def __init__(self, returned=0):
        self.returned = returned
        self.given = None

    def __getattr__(self, name):
        if name not in OPERATIONS:
            raise AttributeError(name)
        return self._called

    def _called(self, **given):
        self.given = given
        return self.returned


def asked(implementation, op, given, numbers="float64", digits=5):
    request = {"seq": 1, "op": op, "input": given, "numbers": numbers, "want": {"digits": digits}}
    answer = json.loads(reply(Adapter(implementation), json.dumps(request).encode()))
    assert answer.pop("seq") == 1
    assert len(answer) == 1
    return answer
