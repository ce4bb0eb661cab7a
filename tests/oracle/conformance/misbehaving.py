"""An implementation that answers each request with its op, except that one mode of going wrong is its first argument.

The ops "fine" and "start" are answered well unless the mode is about them; any other op goes wrong. The second
argument, if there is one, is a file that the mode uses. It imports what it needs only: it is started often.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

MODE = sys.argv[1]
NOTE = Path(sys.argv[2] if len(sys.argv) > 2 else os.devnull)
DECLARATION = {"name": "fake", "version": "1", "operations": ["loss", "conjure"], "numbers": ["float64"]}


def write(text):
    data = text if isinstance(text, bytes) else text.encode()
    while data:
        data = data[os.write(1, data) :]


def complain(text):
    data = text.encode()
    while data:
        data = data[os.write(2, data) :]


def answer(seq, **body):
    return json.dumps({"seq": seq, **(body or {"value": "1"})}) + "\n"


def count_runs():
    """Return how often this program has been started with this note."""
    with NOTE.open("a+") as note:
        note.write("x")
        return note.tell()


def start_child(**options):
    import subprocess

    child = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, **options)
    NOTE.write_text(str(child.pid))


def exits(seq=0, status=7):
    os._exit(status)


def sleeps(seq=0):
    time.sleep(600)


def burn(seconds=float("inf")):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def in_a_child(work):
    """Return what waits for a child that does the work."""

    def waits(seq=0):
        child = os.fork()
        if not child:
            work()
            os._exit(0)
        os.waitpid(child, 0)

    return waits


def burns_in_children_that_end(seq):
    while True:
        in_a_child(lambda: burn(0.05))()


# Leaves a child in a session of its own whose parent is gone.
start_daemon = in_a_child(lambda: (os.setsid(), start_child(stdout=-3, stderr=-3)))


def then(*steps):
    """Return what goes wrong in several steps, each of which is told the seq."""

    def goes_wrong(seq):
        for step in steps:
            step(seq)

    return goes_wrong


def writes(**body):
    """Return what answers with this, for the seq that it is asked with."""
    return lambda seq: write(answer(seq, **body))


def writes_text(change):
    """Return what prints what is made of the seq, or of the text of a good answer."""
    return lambda seq: write(change(seq))


def complains(text):
    return lambda seq: complain(text)


def for_ever(write_part, part):
    def floods(seq):
        while True:
            write_part(part)

    return floods


def answers_the_next_too(seq):
    write(answer(seq))
    while not NOTE.exists():
        time.sleep(0.01)
    write(answer(seq + 1))
    NOTE.with_suffix(".done").touch()


def reads_one_more(seq):
    sys.stdin.buffer.readline()


GOOD = writes()
MODES = {
    "hangs": sleeps,
    "hangs_in_the_middle_of_an_answer": then(writes_text(lambda seq: answer(seq)[:5]), sleeps),
    "exits": exits,
    "exits_saying_why": then(complains("early\n" * 1000 + "Traceback:\n\tone\x1b[0m\n\n  \xe9 two\n"), exits),
    "exits_saying_much_on_one_line": then(complains("x" * 100_000 + "the end"), exits),
    "exits_after_the_answer": then(GOOD, lambda seq: exits(status=0)),
    "is_killed": lambda seq: os.kill(os.getpid(), signal.SIGSEGV),
    "dies_while_a_child_holds_its_output": then(lambda seq: start_child(), exits),
    "hangs_with_a_child": then(lambda seq: start_child(), sleeps),
    "hangs_with_a_child_elsewhere": then(lambda seq: start_child(start_new_session=True, env={}), sleeps),
    "dies_leaving_a_daemon": then(start_daemon, exits),
    "leaves_a_daemon": then(start_daemon, GOOD),
    "never_flushes": lambda seq: sys.stdout.write(answer(seq)),
    "burns": lambda seq: burn(),
    "burns_in_a_child": in_a_child(burn),
    "burns_in_a_session_of_its_own": in_a_child(lambda: (os.setsid(), burn())),
    "burns_in_children_that_end": burns_in_children_that_end,
    "waits_for_a_child_at_work": then(in_a_child(lambda: burn(0.5)), GOOD),
    "leaves_a_child": then(lambda seq: start_child(stdout=-3, stderr=-3), GOOD),
    "floods_one_line": for_ever(write, b"x" * 65536),
    "floods_lines": for_ever(write, b"x\n" * 32768),
    "floods_errors": for_ever(complain, "no\n" * 20000),
    "floods_errors_and_answers": then(complains("no\n" * 300_000), GOOD, complains("no\n" * 300_000)),
    "answers_another_seq": writes_text(lambda seq: answer(seq + 1)),
    "answers_seq_as_text": writes_text(lambda seq: answer(str(seq))),
    "answers_seq_true": writes_text(lambda seq: answer(True)),
    "answers_seq_as_float": writes_text(lambda seq: answer(float(seq))),
    "answers_without_seq": writes_text(lambda seq: '{"value": "1"}\n'),
    "answers_twice": writes_text(lambda seq: answer(seq) * 2),
    "answers_and_prints_a_blank_line": writes_text(lambda seq: answer(seq) + "\n"),
    "answers_the_next_too": answers_the_next_too,
    # Answers the first request of all, but only after the next has been asked of a program that was not restarted.
    "answers_late": then(reads_one_more, GOOD),
    "prints_a_blank_line": writes_text(lambda seq: "\n" + answer(seq)),
    "prints_only_a_blank_line": writes_text(lambda seq: " \n"),
    "prints_rubbish": then(complains("verbose"), writes_text(lambda seq: "Hello, \x1b[1mworld\n")),
    "prints_invalid_utf8": writes_text(lambda seq: b'{"seq": %d, "value": "\xff"}\n' % seq),
    "prints_an_array": writes_text(lambda seq: "[1]\n"),
    "prints_deep_nesting": writes_text(lambda seq: "[" * 100_000 + "\n"),
    "prints_a_key_twice": writes_text(lambda seq: answer(seq).replace("}", ', "value": "2"}')),
    "answers_with_value_and_error": writes(value="1", error={"name": "InvalidLevel", "message": ""}),
    "answers_with_nothing": writes(answer="1"),
    "answers_with_an_error_that_is_a_text": writes(error="InvalidLevel"),
    "answers_with_an_error_without_name": writes(error={"message": "no"}),
    "answers_with_skipped_true": writes(skipped=True),
    "answers_nan": writes_text(
        lambda seq: answer(seq).replace('"1"', '{"lower": NaN, "upper": 0.10, "exact": -Infinity}')
    ),
    "answers_null": writes(value=None),
    "answers_on_windows": writes_text(lambda seq: answer(seq).replace("\n", "\r\n")),
    "closes_input": then(lambda seq: os.close(0), GOOD, sleeps),
    "closes_output": then(lambda seq: os.close(1), sleeps),
    "stops_reading": then(GOOD, sleeps),
    "answers_before_the_question_is_whole": then(
        GOOD, lambda seq: os.read(0, 1), writes_text(lambda seq: answer(seq + 1)), sleeps
    ),
    "ignores_stop": then(GOOD, lambda seq: sys.stdin.buffer.read(), sleeps),
    "says_goodbye": GOOD,
}
STARTS = {
    "start_hangs": sleeps,
    "start_burns": burn,
    "start_exits": lambda: (complain("no licence\n"), exits(status=3)),
    "start_prints_rubbish": lambda: write("Welcome!\n"),
    "start_answers_twice": lambda: write((json.dumps(DECLARATION) + "\n") * 2),
    "start_answers_the_first_request": lambda: write(json.dumps(DECLARATION) + "\n" + answer(1)),
    "start_is_refused": lambda: write(answer(None, error={"name": "InvalidRequest", "message": "protocol 1?"})),
    "start_is_an_array": lambda: write("[]\n"),
    "start_is_other": lambda: write(sys.argv[2] + "\n"),
}


def main():
    starts = count_runs() if MODE.startswith("restart_") else 0
    for line in iter(sys.stdin.buffer.readline, b""):
        request = json.loads(line)
        op = request.get("op")
        if op == "stop":
            break
        if op == "start" and MODE in STARTS:
            STARTS[MODE]()
        elif op == "start" and MODE == "restart_fails" and starts > 1:
            complain("once is enough\n")
            exits(status=4)
        elif op == "start" and MODE == "restart_fails_at_times" and starts % 3 != 1:
            exits(status=4)
        elif op == "start":
            write(json.dumps(DECLARATION) + "\n")
        elif op == "fine":
            write(answer(request["seq"], value=f"fine {os.getpid()}"))
        elif MODE.startswith("restart_"):
            exits()
        else:
            MODES[MODE](request["seq"])
    if MODE == "says_goodbye":
        complain("bye\n" * 300_000)
        write("bye\n" * 300_000)
        NOTE.write_text("ended by itself")


if __name__ == "__main__":
    main()
