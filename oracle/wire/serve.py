"""The contract's wire: one JSON object a line on standard input, one answer a line on standard output.

The oracle speaks it, and so does any `Handler`; what is the same for all of them is here.

Every line but "stop" gets exactly one answer, in order; nothing that a line says ends the process. "start" may come at
any time and changes nothing, so a request without it is answered as well. An error in the oracle itself is answered
under the name InternalError, and its traceback goes to standard error. That name is not in the contract, and must not
be: a name of the contract would blame the input, and could pass for the answer that was expected.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import BinaryIO, Protocol

from .. import __version__
from ..contract.errors import INTERNAL_ERROR
from ..contract.limits import LONGEST_INPUT, not_enough_memory, too_large
from ..contract.operations import OPERATIONS
from ..reference import InvalidRequest, OracleError
from .protocol import NUMBERS
from .requests import Session, answer_request
from .strict_json import Object, check_keys, encode, is_integer, object_of, shown

PROTOCOL = 1
LONGEST_MESSAGE = 500

_CHUNK = 1 << 20


class Handler(Protocol):
    """What has the answers, and leaves the wire to this module."""

    def declaration(self) -> Object:
        """Return the answer to "start"."""

    def answer(self, request: Object) -> Object:
        """Return the answer to a request, its "seq" aside. Raises: the contract's errors."""


class _Oracle:
    """The oracle as a handler of requests."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def declaration(self) -> Object:
        said: Object = {"name": "tploracle", "version": __version__, "operations": list(OPERATIONS)}
        return {**said, "numbers": list(NUMBERS), "stepwise": True}

    def answer(self, request: Object) -> Object:
        return {"value": answer_request(self.session, request)}


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Be the oracle on the wire, without a limit of time. As `converse`."""
    converse(_Oracle(Session()), requests, answers)


def respond(session: Session, line: bytes | None) -> bytes | None:
    """Return the oracle's answer to one line. As `reply`."""
    return reply(_Oracle(session), line)


def converse(handler: Handler, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until "stop" or the end of the input. Raises: BrokenPipeError where nobody reads the answers."""
    exchange(lambda line: reply(handler, line), requests, answers)


def exchange(replied: Callable[[bytes | None], bytes | None], requests: BinaryIO, answers: BinaryIO) -> None:
    """Write the reply to each line, until there is none or no more lines. Raises: as `converse`."""
    for line in _lines(requests):
        answer = replied(line)
        if answer is None:
            return
        answers.write(answer)
        answers.flush()


def reply(handler: Handler, line: bytes | None) -> bytes | None:
    """Answer one line, None standing for one that is too long. Returns: the answer's line, or None for "stop"."""
    seq: object = None
    try:
        if line is None:
            raise too_large(f"the line has more than {LONGEST_INPUT} bytes")
        request = object_of(line, "the request")
        if request.get("op") == "stop" and "seq" not in request:
            return None
        if request.get("op") == "start" and "seq" not in request:
            _check_start(request)
            answer = handler.declaration()
        else:
            seq = _seq(request)
            answer = {"seq": seq, **handler.answer(request)}
        return _encoded(answer)
    except OracleError as error:
        return _refusal(seq, error.name, str(error))
    except (MemoryError, RecursionError):
        reason = not_enough_memory()
        return _refusal(seq, reason.name, str(reason))
    except Exception as error:  # noqa: BLE001 - the process outlives its own faults, and says so
        traceback.print_exc(file=sys.stderr)
        return _refusal(seq, INTERNAL_ERROR, f"{type(error).__name__}: {error}")


def refused(line: bytes, reason: OracleError) -> bytes:
    """Return the answer to a line that was not answered, for this reason."""
    seq: object = None
    with suppress(OracleError, RecursionError, MemoryError):
        seq = _seq(object_of(line, "the request"))
    return _refusal(seq, reason.name, str(reason))


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines; None for one that is too long, which is read to its end and never kept."""
    while line := stream.readline(LONGEST_INPUT + 1):
        if len(line) <= LONGEST_INPUT:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(_CHUNK)
        yield None


def _seq(request: Object) -> int | str:
    seq = request.get("seq")
    if "seq" not in request:
        raise InvalidRequest("the request lacks the key 'seq'")
    if is_integer(seq) or isinstance(seq, str):
        return seq
    raise InvalidRequest(f"seq is {shown(seq)}, not an integer or a string")


def _check_start(request: Object) -> None:
    check_keys(request, ("op", "protocol"), (), "the request")
    if not is_integer(request["protocol"]) or request["protocol"] != PROTOCOL:
        raise InvalidRequest(f"the protocol is {PROTOCOL}, not {shown(request['protocol'])}")


def _refusal(seq: object, name: str, message: str) -> bytes:
    return _encoded({"seq": seq, "error": {"name": name, "message": shortened(message)}})


def shortened(message: str) -> str:
    """Return a message of at most LONGEST_MESSAGE characters."""
    return message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 3] + "..."


def _encoded(answer: Object) -> bytes:
    return encode(answer).encode("ascii") + b"\n"
