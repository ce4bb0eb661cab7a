"""Whatever a program does costs the request that it was asked, and no more."""

import os
import sys
import time
from inspect import getsource

import pytest

from tploracle.conformance.ask import implementation
from tploracle.conformance.ask.implementation import NotAnImplementation, ObjectImplementation
from tploracle.conformance.model import Reply, Verdict
from tploracle.system import processor_time
from tploracle.wire.adapter import adapter_command
from tploracle.wire.protocol import Declaration
from tploracle.wire.strict_json import Numeral

from ...processes import IMPATIENT, PATIENT, clock_that_waits, has_ended
from .implementations import BIG, FAKE, ask, is_fine, misbehaving, patient

NO_ANSWER = "what it printed is not an answer: "


@pytest.mark.parametrize(
    ("mode", "verdict", "message"),
    [
        ("hangs", Verdict.TIMED_OUT, "no answer, asleep for 0.6 s (it used "),
        ("hangs_in_the_middle_of_an_answer", Verdict.TIMED_OUT, "no answer, asleep for 0.6 s (it used "),
        ("never_flushes", Verdict.TIMED_OUT, "no answer, asleep for 0.6 s (it used "),
        ("burns", Verdict.TIMED_OUT, "no answer within 0.6 s of processor time"),
        ("burns_in_a_child", Verdict.TIMED_OUT, "no answer within 0.6 s of processor time"),
        ("burns_in_a_session_of_its_own", Verdict.TIMED_OUT, "no answer within 0.6 s of processor time"),
        ("burns_in_children_that_end", Verdict.TIMED_OUT, "no answer within 0.6 s of processor time"),
        ("exits", Verdict.CRASHED, "it ended with exit status 7"),
        ("is_killed", Verdict.CRASHED, "it was ended by SIGSEGV"),
        ("floods_one_line", Verdict.WRONG, "too long: it printed a line of more than 16777216 bytes: 'x"),
        ("floods_lines", Verdict.CRASHED, "it printed more than one line: 'x' and 'x\\nx\\n"),
        ("answers_another_seq", Verdict.CRASHED, NO_ANSWER + 'its seq is 2, not 1: \'{"seq": 2,'),
        ("answers_seq_as_text", Verdict.CRASHED, NO_ANSWER + "its seq is '1', not 1"),
        ("answers_seq_true", Verdict.CRASHED, NO_ANSWER + "its seq is True, not 1"),
        ("answers_seq_as_float", Verdict.CRASHED, NO_ANSWER + "its seq is 1.0, not 1"),
        ("answers_without_seq", Verdict.CRASHED, NO_ANSWER + "it lacks the key 'seq'"),
        ("answers_twice", Verdict.CRASHED, 'it printed more than one line: \'{"seq": 1, '),
        ("answers_and_prints_a_blank_line", Verdict.CRASHED, "it printed more than one line: "),
        ("prints_a_blank_line", Verdict.CRASHED, "it printed more than one line: '' and "),
        ("prints_only_a_blank_line", Verdict.CRASHED, NO_ANSWER + "an empty line: ' '"),
        (
            "prints_rubbish",
            Verdict.CRASHED,
            NO_ANSWER
            + "not JSON: Expecting value at line 1, column 1: 'Hello, \\x1b[1mworld'; its standard error ends: verbose",
        ),
        ("prints_invalid_utf8", Verdict.CRASHED, NO_ANSWER + "not UTF-8: byte 22 is 0xff"),
        ("prints_an_array", Verdict.CRASHED, NO_ANSWER + "it is a JSON array, not an object: '[1]'"),
        ("prints_deep_nesting", Verdict.CRASHED, NO_ANSWER + "too large: the JSON is nested too deeply: '[[["),
        ("prints_a_key_twice", Verdict.CRASHED, NO_ANSWER + "the key 'value' occurs twice"),
        (
            "answers_with_value_and_error",
            Verdict.CRASHED,
            NO_ANSWER + "it has value and error of value, error, skipped",
        ),
        ("answers_with_nothing", Verdict.CRASHED, NO_ANSWER + "it has none of value, error, skipped"),
        ("answers_with_an_error_that_is_a_text", Verdict.CRASHED, NO_ANSWER + "error is a JSON string, not an object"),
        ("answers_with_an_error_without_name", Verdict.CRASHED, NO_ANSWER + "it lacks the key 'name'"),
        ("answers_with_skipped_true", Verdict.CRASHED, NO_ANSWER + "skipped is a JSON boolean, not a string"),
        ("dies_while_a_child_holds_its_output", Verdict.CRASHED, "it ended with exit status 7"),
    ],
)
def test_a_fault_costs_one_request(mode, verdict, message, pids, tmp_path):
    assert_costs_one_request(misbehaving(mode, tmp_path / "note"), verdict, message, pids)


@pytest.mark.usefixtures("quick")
def test_the_end_of_a_program_that_goes_on_without_its_output_is_waited_for_once(monkeypatch):
    honest, given = implementation.Program, []

    def noted(command, went_on):
        given.append(went_on)
        return honest(command, went_on)

    monkeypatch.setattr(implementation, "Program", noted)
    with misbehaving("closes_output") as hostile:
        faults = [ask(hostile, seq).fault for seq in (1, 2, 3)]
    assert faults == [Verdict.CRASHED] * 3
    assert given == [False, True, True]


@pytest.mark.usefixtures("quick")
def test_a_program_that_closes_its_output(pids):
    assert_costs_one_request(misbehaving("closes_output"), Verdict.CRASHED, "it closed its standard output", pids)


def test_errors_without_end_are_no_answer(pids, monkeypatch):
    """However slow the program is: the clock waits for the first of them."""
    fake = misbehaving("floods_errors")
    clock = clock_that_waits(lambda: fake._program is not None and fake._program._complaints)
    monkeypatch.setattr(processor_time, "monotonic", clock)
    message = "no answer within 30 s (it used 0 s of processor time); its standard error ends: no / no"
    assert_costs_one_request(fake, Verdict.TIMED_OUT, message, pids)


def assert_costs_one_request(fake, verdict, message, pids):
    with fake:
        assert fake.start() == FAKE
        assert is_fine(ask(fake, 0, "fine"), 0)
        if verdict is Verdict.TIMED_OUT:
            fake.timeout = IMPATIENT
        reply = ask(fake, 1)
        fake.timeout = PATIENT
        assert (reply.answer, reply.fault) == (None, verdict)
        assert reply.message.startswith(message)
        assert len(reply.message) < 1000
        assert has_ended(pids[0])
        assert fake.restarts == 0
        assert is_fine(ask(fake, 2, "fine"), 2)
        assert is_fine(ask(fake, 3, "fine"), 3)
        assert fake.restarts == 1
    assert len(pids) == 2
    assert has_ended(pids[1])


@pytest.mark.parametrize("op", ["loss", "fine"])
def test_answers_are_passed_on_as_they_are(op):
    with misbehaving("answers_nan") as fake:
        fake.start()
        for seq in range(3):
            reply = ask(fake, seq, op)
            assert reply.fault is None
            assert reply.answer["seq"] == seq
            if op == "loss":
                assert reply.answer["value"] == {
                    "lower": Numeral("NaN"),
                    "upper": Numeral("0.10"),
                    "exact": Numeral("-Infinity"),
                }
        assert fake.restarts == 0


@pytest.mark.parametrize(("mode", "value"), [("answers_null", None), ("answers_on_windows", "1")])
def test_a_null_is_a_value_and_lines_may_end_as_on_windows(mode, value):
    with misbehaving(mode) as fake:
        assert ask(fake, 1).answer == {"seq": 1, "value": value}


def test_the_seconds_of_an_answer_are_those_from_question_to_answer(monkeypatch):
    with misbehaving("hangs") as fake:
        fake.start()
        clock = iter([0.0, 10.0, 14.0])
        monkeypatch.setattr(implementation, "monotonic", lambda: next(clock))
        monkeypatch.setattr(implementation.Program, "ask", lambda self, line, timeout: b'{"seq": 1, "value": "1"}')
        assert ask(fake, 1) == Reply({"seq": 1, "value": "1"}, seconds=4.0)


def test_a_program_that_waits_for_a_child_at_work_is_not_asleep():
    with misbehaving("waits_for_a_child_at_work") as fake:
        fake.start()
        fake.timeout = 3.0
        assert ask(fake, 1).answer == {"seq": 1, "value": "1"}


def test_the_processor_time_is_that_of_every_run_and_of_all_processes():
    with misbehaving("burns_in_a_session_of_its_own") as fake:
        fake.start()
        before = fake.processor_time()
        fake.timeout = IMPATIENT
        for seq in (1, 2):
            assert ask(fake, seq).fault is Verdict.TIMED_OUT
            assert fake.processor_time() >= before + seq * IMPATIENT
            fake.timeout = PATIENT
            assert is_fine(ask(fake, seq, "fine"), seq)
            fake.timeout = IMPATIENT
    assert fake.processor_time() >= before + 2 * IMPATIENT


def test_the_last_words_are_quoted_in_short():
    with misbehaving("exits_saying_why") as fake:
        message = ask(fake, 1).message
        words = "early / early / Traceback: / one\\x1b[0m / é two"
        assert message == f"it ended with exit status 7; its standard error ends: {words}"
    with misbehaving("exits_saying_much_on_one_line") as fake:
        message = ask(fake, 1).message
        assert message.startswith("it ended with exit status 7; its standard error ends: ...xxx")
        assert message.endswith("xxxthe end")
        assert len(message) < 600


def test_what_is_kept_of_standard_error_is_bounded():
    with misbehaving("floods_errors_and_answers") as fake:
        fake.start()
        for seq in range(3):
            assert ask(fake, seq).answer == {"seq": seq, "value": "1"}
            assert len(fake._program._complaints) <= 1 << 13
        assert is_fine(ask(fake, 3, "fine"), 3)
        assert fake.restarts == 0


def test_what_is_kept_of_the_output_is_bounded(monkeypatch):
    longest = []

    class Watched(implementation.Program):
        def _hear_answer(self):
            heard = super()._hear_answer()
            longest.append(len(self._answered))
            return heard

    monkeypatch.setattr(implementation, "Program", Watched)
    with misbehaving("floods_one_line") as fake:
        assert ask(fake, 1).fault is Verdict.WRONG
        assert max(longest) <= (16 << 20) + (1 << 16)
        assert fake._program is None


def test_an_answer_that_was_printed_before_the_question_is_no_answer(tmp_path):
    go, done = tmp_path / "note", tmp_path / "note.done"
    with misbehaving("answers_the_next_too", go) as fake:
        assert ask(fake, 1).answer == {"seq": 1, "value": "1"}
        go.touch()
        while not done.exists():
            time.sleep(0.01)
        reply = ask(fake, 2, "fine")
        assert (reply.answer, reply.fault) == (None, Verdict.CRASHED)
        assert reply.message == 'it printed before it was asked: \'{"seq": 2, "value": "1"}\\n\''
        assert is_fine(ask(fake, 3, "fine"), 3)


def test_a_late_answer_is_not_taken_for_the_next(pids):
    with misbehaving("answers_late") as fake:
        fake.start()
        fake.timeout = IMPATIENT
        assert ask(fake, 1).fault is Verdict.TIMED_OUT
        fake.timeout = PATIENT
        assert ask(fake, 1, "fine").answer == {"seq": 1, "value": f"fine {pids[1]}"}


def test_a_program_that_ended_after_its_answer():
    with misbehaving("exits_after_the_answer") as fake:
        assert ask(fake, 1).answer == {"seq": 1, "value": "1"}
        reply = ask(fake, 2)
        assert (reply.fault, reply.message) == (Verdict.CRASHED, "it ended with exit status 0")
        assert ask(fake, 3).answer == {"seq": 3, "value": "1"}


@pytest.mark.usefixtures("quick")
def test_a_program_that_closes_its_input():
    with misbehaving("closes_input") as fake:
        assert ask(fake, 1).answer == {"seq": 1, "value": "1"}
        reply = ask(fake, 2)
        assert (reply.fault, reply.message) == (Verdict.CRASHED, "it closed its standard input")
        assert is_fine(ask(fake, 3, "fine"), 3)


@pytest.mark.usefixtures("quick")
def test_a_program_that_stops_reading():
    with misbehaving("stops_reading") as fake:
        assert ask(fake, 1).answer == {"seq": 1, "value": "1"}
        fake.timeout = IMPATIENT
        reply = ask(fake, 2, given=BIG)
        assert reply.fault is Verdict.TIMED_OUT
        assert reply.message.startswith("no answer, asleep for 0.6 s (it used ")
        fake.timeout = PATIENT
        assert is_fine(ask(fake, 3, "fine"), 3)


@pytest.mark.usefixtures("quick")
def test_an_answer_to_half_a_question():
    with misbehaving("answers_before_the_question_is_whole") as fake:
        assert ask(fake, 1).answer == {"seq": 1, "value": "1"}
        reply = ask(fake, 2, given=BIG)
        assert reply.fault is Verdict.CRASHED
        assert reply.message.startswith('it answered before the whole question was written: \'{"seq": 2, ')


def test_a_question_longer_than_a_pipe_holds():
    with misbehaving("hangs") as fake:
        fake.start()
        for seq in range(3):
            assert is_fine(ask(fake, seq, "fine", BIG), seq)


@pytest.mark.parametrize(
    "mode",
    [
        "hangs_with_a_child",
        "hangs_with_a_child_elsewhere",
        "dies_while_a_child_holds_its_output",
        "dies_leaving_a_daemon",
    ],
)
def test_the_children_of_a_faulty_program_are_ended(mode, tmp_path, monkeypatch):
    note = tmp_path / "note"
    with misbehaving(mode, note) as fake:
        fake.start()
        if mode.startswith("hangs"):
            monkeypatch.setattr(
                processor_time, "monotonic", clock_that_waits(lambda: note.exists() and note.read_text())
            )
        assert ask(fake, 1).fault is not None
        assert has_ended(int(note.read_text()))


@pytest.mark.parametrize("mode", ["leaves_a_child", "leaves_a_daemon"])
def test_a_child_that_is_left_behind_is_ended(mode, tmp_path):
    note = tmp_path / "note"
    with misbehaving(mode, note) as fake:
        assert ask(fake, 1).answer == {"seq": 1, "value": "1"}
        child = int(note.read_text())
        os.kill(child, 0)
    assert has_ended(child)


@pytest.mark.usefixtures("quick")
def test_a_program_that_ignores_stop(pids):
    with misbehaving("ignores_stop") as fake:
        ask(fake, 1)
    assert has_ended(pids[0])


def test_a_program_may_end_by_itself_and_say_goodbye(tmp_path):
    note = tmp_path / "note"
    with misbehaving("says_goodbye", note) as fake:
        ask(fake, 1)
    assert note.read_text() == "ended by itself"


def test_an_exception_ends_the_program_at_once(pids, tmp_path):
    note = tmp_path / "note"
    error = ZeroDivisionError()
    fake = misbehaving("says_goodbye", note)
    ask(fake, 1)
    fake.__exit__(type(error), error, None)
    assert has_ended(pids[0])
    assert not note.exists()


LOSS = {"matrix": [["0.8", "0.2"], ["0", "1"]], "alpha": "log(11/10)"}


def test_the_oracle_as_a_subject():
    with patient([sys.executable, "-m", "tploracle", "serve"]) as oracle:
        declaration = oracle.start()
        assert declaration.name == "tploracle"
        assert declaration.numbers == ("rational", "float64", "decimal64")
        assert ask(oracle, 1, given=LOSS).answer["value"]["exact"] == "log(27/25)"  # (0.8·0.1 + 1)/(0·0.1 + 1)
        assert ask(oracle, "two", "conjure").answer["error"]["name"] == "UnknownOperation"
        assert oracle.ask({"seq": True, "op": "loss", "input": LOSS}).answer["seq"] is None
        assert ask(oracle, 3, given={}).answer["error"]["name"] == "InvalidRequest"
        assert oracle.restarts == 0


class Small:
    """An object that goes wrong as an object can."""

    name, version = "small", "2"

    def loss(self, matrix, alpha):
        print("to standard output")
        return alpha

    def control(self, matrix, previous, cap):
        sys.exit(3)

    def supremum(self, matrix, epsilon):
        raise ZeroDivisionError("no")


DYADIC = {"matrix": [["0x1p-1", "0x1p-1"], ["0x0p+0", "0x1p+0"]]}


@pytest.fixture(params=["object", "program"])
def small(request, tmp_path):
    if request.param == "object":
        return ObjectImplementation(Small)
    path = tmp_path / "small.py"
    path.write_text("import sys\n\n\n" + getsource(Small))
    return patient(adapter_command(f"{path}:Small"))


def test_an_object_and_the_same_in_a_process(small, capfd):
    def asked(seq, op, **given):
        return small.ask({"seq": seq, "op": op, "input": {**DYADIC, **given}, "numbers": "float64"})

    with small:
        assert small.start() == Declaration("small", "2", ("loss", "supremum", "control"), ("float64",), arrays=True)
        assert asked(1, "loss", alpha="0x1p-1").answer == {"seq": 1, "value": "0x1.0000000000000p-1"}
        assert asked("2", "loss", alpha="inf").answer == {"seq": "2", "value": "inf"}
        assert asked(3, "loss", alpha="0.5").answer["error"]["name"] == "InvalidNumber"
        failed = asked(4, "supremum", epsilon="0x1p-1").answer["error"]
        assert failed == {"name": "InternalError", "message": "ZeroDivisionError: no"}
        reply = asked(5, "control", previous="0x0p+0", cap="0x1p+0")
        assert (reply.answer, reply.fault) == (None, Verdict.CRASHED)
        assert asked(6, "loss", alpha="0x1p-1").answer == {"seq": 6, "value": "0x1.0000000000000p-1"}
    assert capfd.readouterr().out == ""


def test_an_object_that_is_none():
    with pytest.raises(NotAnImplementation):
        ObjectImplementation(object())


def test_an_interrupt_passes_through_an_object():
    class Interrupted:
        def loss(self, matrix, alpha):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ObjectImplementation(Interrupted).ask(
            {"seq": 1, "op": "loss", "input": {**DYADIC, "alpha": "inf"}, "numbers": "float64"}
        )
