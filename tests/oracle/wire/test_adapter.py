"""A Python object on the wire: what it raises, what it says of itself, and where it comes from."""

import math
import subprocess
import sys

import pytest

from tploracle import reference
from tploracle.conformance.ask.implementation import NotAnImplementation, ProcessImplementation
from tploracle.contract.errors import ERRORS, UnknownOperation
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import NotUnique, OracleError
from tploracle.wire.adapter import Adapter, adapter_command, load

from ...processes import PATIENT, PIPES
from ..conformance.caught import DYADIC, HALF, Caught, asked

# What it raises


def raising(error):
    class Raising:
        def loss_function(self, matrix):
            raise error

    return asked(Raising(), "loss_function", {"matrix": DYADIC})


def test_the_names_of_the_contracts_errors():
    kinds = {getattr(reference, name) for name in reference.__all__ if isinstance(getattr(reference, name), type)}
    ours = {kind.__name__ for kind in kinds if issubclass(kind, OracleError)} | {UnknownOperation.__name__}
    assert set(ERRORS) == ours - {OracleError.__name__, NotUnique.__name__}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_by_the_contracts_names(name):
    own = type(name, (ValueError,), {})
    assert raising(own("row 1")) == {"error": {"name": name, "message": "row 1"}}
    heir = type("Mine", (own,), {})
    assert raising(heir("row 2")) == {"error": {"name": name, "message": "row 2"}}


def test_ours_are_errors_too():
    assert raising(reference.NotStochastic("row 1")) == {"error": {"name": "NotStochastic", "message": "row 1"}}


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ZeroDivisionError("no"), "ZeroDivisionError: no"),
        (OracleError("no"), "OracleError: no"),
        (NotUnique("no"), "NotUnique: no"),
        (MemoryError(), "MemoryError: "),
        (RecursionError("deep"), "RecursionError: deep"),
        (type("InternalError", (Exception,), {})("mine"), "InternalError: mine"),
        (type("Mute", (Exception,), {"__str__": lambda self: 1 / 0})(), "Mute: "),
        (ValueError("x" * 1000), "ValueError: " + "x" * 485 + "..."),
    ],
)
def test_other_exceptions_are_internal_errors_with_a_traceback(error, message, capsys):
    assert raising(error) == {"error": {"name": "InternalError", "message": message}}
    assert "Traceback" in capsys.readouterr().err


def test_what_is_not_implemented_is_skipped():
    assert raising(NotImplementedError("not yet")) == {"skipped": "not yet"}
    assert raising(NotImplementedError()) == {"skipped": "not implemented"}


def test_what_goes_wrong_in_the_value_is_an_answer_too(capsys):
    class Mute:
        def __repr__(self):
            raise KeyError("no repr")

    answer = asked(Caught(Mute()), "loss_function", {"matrix": DYADIC})
    assert answer == {"error": {"name": "InternalError", "message": "KeyError: 'no repr'"}}
    endless = []
    endless.append(endless)
    assert asked(Caught(endless), "smooth", {"n": 1, "s": HALF})["error"]["name"] == "InternalError"
    assert capsys.readouterr().err


# What it says of itself


def test_an_object_says_what_it_can_do():
    class Modest:
        control = "not callable"

        def supremum(self, matrix, epsilon):
            return epsilon

        def loss(self, matrix, alpha):
            return alpha

    said = Adapter(Modest).declaration()
    own = {"name": "Modest", "version": "unknown", "operations": ["loss", "supremum"], "numbers": ["float64"]}
    assert said == {**own, "arrays": True}
    assert Adapter(Modest()).declaration() == said
    modest = Modest()
    modest.name, modest.version, modest.numbers = "m", "0.1", ["rational", "float64"]
    modest.operations = ("loss", "conjure", "control")
    assert Adapter(modest).declaration() == {
        "name": "m",
        "version": "0.1",
        "operations": ["loss", "conjure", "control"],
        "numbers": ["rational", "float64"],
        "arrays": True,
    }
    assert asked(modest, "loss", {"matrix": DYADIC, "alpha": HALF}) == {"value": "0x1.0000000000000p-1"}
    for op, given in (
        ("supremum", {"matrix": DYADIC, "epsilon": HALF}),  # not declared
        ("control", {"matrix": DYADIC, "previous": HALF, "cap": HALF}),  # declared, but no method
        ("conjure", {}),
    ):
        assert asked(modest, op, given)["error"]["name"] == "UnknownOperation"


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"name": 1}, "Odd: name is a int, not a str"),
        ({"version": (1, 2)}, "Odd: version is a tuple, not a str"),
        ({"version": "v" * 201}, "version has more than 200 characters"),
        ({"operations": "loss"}, "Odd: operations is a str, not a list or a tuple"),
        ({"operations": []}, "operations is empty"),
        ({"operations": [1]}, "one of operations is a JSON number, not a string"),
        ({"operations": lambda self: ["loss"]}, "Odd: operations is a method, not a list or a tuple"),
        ({"numbers": math}, "Odd: numbers is a module, not a list or a tuple"),
        ({"numbers": "float32"}, "numbers has 'float32'"),
        ({"numbers": ()}, "numbers is empty"),
    ],
)
def test_what_says_something_else_is_no_implementation(attributes, message):
    odd = type("Odd", (), {"loss": lambda self, matrix, alpha: alpha, **attributes})
    with pytest.raises(NotAnImplementation) as caught:
        Adapter(odd)
    assert message in str(caught.value)


def test_what_can_do_nothing_is_no_implementation():
    for nothing in (object(), object, math, None, "loss"):
        with pytest.raises(NotAnImplementation, match="has no method of the name of an operation"):
            Adapter(nothing)

    class Demanding:
        def __init__(self, key):
            raise AssertionError

    with pytest.raises(NotAnImplementation, match=r"^Demanding\(\) fails: TypeError"):
        Adapter(Demanding)


# Where it comes from

SOURCE = """
import sys
import neighbour

print("to standard output", flush=True)
import os
os.write(1, b"and to its descriptor\\n")

class Mine:
    def loss(self, matrix, alpha):
        print("hello")
        os.write(1, b"hello\\n")
        return neighbour.double(alpha)

    def supremum(self, matrix, epsilon):
        return sys.stdin.read() + "nothing there"

    def smooth(self, n, s):
        print("my last words")
        os._exit(1)

    def control(self, matrix, previous, cap):
        return self.nothing

class Holder:
    mine = Mine()

def loss(matrix, alpha):
    return alpha

name = "a module"
text = "no implementation"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "numbers_of_mine.py").write_text(SOURCE)
    (tmp_path / "neighbour.py").write_text("def double(alpha):\n    return 2 * alpha\n")
    (tmp_path / "broken.py").write_text("import sys\n1 / 0\n")
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit('bye')\n")
    (tmp_path / "wrong.py").write_text("def\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize("source", ["numbers_of_mine", "numbers_of_mine.py", "{folder}/numbers_of_mine.py"])
def test_objects_are_found_by_module_or_file(source, folder, capfd):
    place = source.format(folder=folder)
    assert load(f"{place}:Mine")().loss(None, 2) == 4
    assert load(f"{place}:Holder.mine").loss(None, 2) == 4
    assert Adapter(load(place)).declaration()["name"] == "a module"
    assert asked(load(place), "loss", {"matrix": DYADIC, "alpha": HALF}) == {"value": "0x1.0000000000000p-1"}
    assert load(place).__dict__["neighbour"].__file__ == str(folder / "neighbour.py")
    assert capfd.readouterr().out


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("no_such_module", "'no_such_module' cannot be imported: ModuleNotFoundError: No module named"),
        ("no_such_file.py:Mine", "'no_such_file.py' cannot be imported: FileNotFoundError: "),
        ("", "'' cannot be imported: ValueError: "),
        (":Mine", "'' cannot be imported: ValueError: "),
        (".relative", "'.relative' cannot be imported: TypeError: "),
        ("broken:x", "'broken' cannot be imported: ZeroDivisionError: "),
        ("broken.py", "'broken.py' cannot be imported: ZeroDivisionError: "),
        ("leaving.py", "'leaving.py' cannot be imported: SystemExit: bye"),
        ("wrong.py", "'wrong.py' cannot be imported: SyntaxError: "),
        ("neighbour.py:Yours", "'neighbour.py' has no Yours"),
        ("neighbour:double.x", "'neighbour' has no double.x"),
        ("neighbour:os.system('touch x')", "'neighbour' has no os.system('touch x')"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_not_there_is_no_implementation(place, message):
    with pytest.raises(NotAnImplementation) as caught:
        load(place)
    assert str(caught.value).startswith(message)


def test_a_path_may_have_a_colon(folder):
    (folder / "neighbour.py").rename(folder / "next:door.py")
    assert load("next:door.py").double(2) == 4
    assert load("next:door.py:double")(2) == 4


def test_a_process_of_its_own(folder, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)

    def asked_there(op, **given):
        return implementation.ask({"seq": 1, "op": op, "input": {"matrix": DYADIC, **given}, "numbers": "float64"})

    with ProcessImplementation(
        adapter_command(f"{folder}/numbers_of_mine.py:Mine"), PATIENT, PATIENT
    ) as implementation:
        assert implementation.start().operations == ("loss", "supremum", "control", "smooth")
        for _ in range(2):
            assert asked_there("loss", alpha=HALF).answer == {"seq": 1, "value": "0x1.0000000000000p+0"}
        assert asked_there("supremum", epsilon=HALF).answer == {"seq": 1, "value": "nothing there"}
        failed = asked_there("control", previous=HALF, cap=HALF).answer["error"]
        assert failed["name"] == "InternalError"
        assert failed["message"].startswith("AttributeError: ")
        assert implementation.restarts == 0
        reply = implementation.ask({"seq": 1, "op": "smooth", "input": {"n": 1, "s": HALF}, "numbers": "float64"})
        assert reply.message.startswith("it ended with exit status 1; its standard error ends: ")
        assert reply.message.endswith(" / my last words")


NOTHING = f"NotAnImplementation: math has no method of the name of an operation ({', '.join(OPERATIONS)})"


@pytest.mark.parametrize(
    ("arguments", "last"),
    [
        ([], "Usage: python -m tploracle.adapter MODULE[:OBJECT] | FILE.py[:OBJECT]"),
        (["math", "x"], "Usage: python -m tploracle.adapter MODULE[:OBJECT] | FILE.py[:OBJECT]"),
        (["broken"], "NotAnImplementation: 'broken' cannot be imported: ZeroDivisionError: division by zero"),
        (["math"], f"{NOTHING}; name the class in it, as in FILE.py:CLASS"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_command_says_why_it_cannot_start(arguments, last):
    command = [sys.executable, "-m", "tploracle.adapter", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert lines[-1] == last
    assert (len(lines) > 1) == (arguments == ["broken"])  # the traceback of the object's own code


def test_a_script_may_serve_its_object(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from tploracle.adapter import serve_object\n"
        "class Mine:\n    def loss(self, matrix, alpha):\n        print('hello')\n        return alpha\n"
        "serve_object(Mine)\n"
    )
    with ProcessImplementation([sys.executable, str(script)], PATIENT, PATIENT) as implementation:
        assert implementation.start().name == "Mine"
        given = {"matrix": DYADIC, "alpha": HALF}
        answer = implementation.ask({"seq": 1, "op": "loss", "input": given, "numbers": "float64"}).answer
        assert answer == {"seq": 1, "value": "0x1.0000000000000p-1"}


def test_an_output_that_nobody_reads_ends_it_quietly(folder):
    with subprocess.Popen(adapter_command("numbers_of_mine"), **PIPES, cwd=folder) as process:
        process.stdout.close()
        process.stdin.write(b'{"op": "start", "protocol": 1}\n')
        process.stdin.flush()
        assert process.wait(PATIENT) == 0
        assert process.stderr.read() == b"to standard output\nand to its descriptor\n"


def test_nothing_of_the_adapter_is_imported_with_the_command_line():
    script = "import sys, tploracle.cli.main; sys.exit('tploracle.adapter' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
