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


def sleep():
    time.sleep(600)


def burn(seconds=float("inf")):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def fork(work):
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    return child


def count_runs():
    """Return how often this program has been started with this note."""
    with NOTE.open("a+") as note:
        note.write("x")
        return note.tell()


def start_child(**options):
    import subprocess

    child = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, **options)
    NOTE.write_text(str(child.pid))


def hangs(seq):
    sleep()


def hangs_in_the_middle_of_an_answer(seq):
    write(answer(seq)[:5])
    sleep()


def never_flushes(seq):
    sys.stdout.write(answer(seq))


def burns(seq):
    burn()


def burns_in_a_child(seq):
    os.waitpid(fork(burn), 0)


def burns_in_a_session_of_its_own(seq):
    os.waitpid(fork(lambda: (os.setsid(), burn())), 0)


def burns_in_children_that_end(seq):
    while True:
        os.waitpid(fork(lambda: burn(0.05)), 0)


def waits_for_a_child_at_work(seq):
    os.waitpid(fork(lambda: burn(0.5)), 0)
    write(answer(seq))


def exits(seq):
    os._exit(7)


def exits_saying_why(seq):
    complain("early\n" * 1000 + "Traceback:\n\tone\x1b[0m\n\n  \xe9 two\n")
    os._exit(7)


def exits_saying_much_on_one_line(seq):
    complain("x" * 100_000 + "the end")
    os._exit(7)


def is_killed(seq):
    os.kill(os.getpid(), signal.SIGSEGV)


def exits_after_the_answer(seq):
    write(answer(seq))
    os._exit(0)


def dies_while_a_child_holds_its_output(seq):
    start_child()
    os._exit(7)


def hangs_with_a_child(seq):
    start_child()
    sleep()


def hangs_with_a_child_elsewhere(seq):
    start_child(start_new_session=True, env={})
    sleep()


def start_daemon():
    """Start a child in a session of its own whose parent is gone."""
    middle = fork(lambda: (os.setsid(), start_child(stdout=-3, stderr=-3)))
    os.waitpid(middle, 0)


def dies_leaving_a_daemon(seq):
    start_daemon()
    os._exit(7)


def leaves_a_daemon(seq):
    start_daemon()
    write(answer(seq))


def floods_one_line(seq):
    while True:
        write(b"x" * 65536)


def floods_lines(seq):
    while True:
        write(b"x\n" * 32768)


def floods_errors(seq):
    while True:
        complain("no\n" * 20000)


def floods_errors_and_answers(seq):
    complain("no\n" * 300_000)
    write(answer(seq))
    complain("no\n" * 300_000)


def answers_another_seq(seq):
    write(answer(seq + 1))


def answers_seq_as_text(seq):
    write(answer(str(seq)))


def answers_seq_true(seq):
    write(answer(True))


def answers_seq_as_float(seq):
    write(answer(float(seq)))


def answers_without_seq(seq):
    write('{"value": "1"}\n')


def answers_twice(seq):
    write(answer(seq) + answer(seq))


def answers_and_prints_a_blank_line(seq):
    write(answer(seq) + "\n")


def answers_the_next_too(seq):
    write(answer(seq))
    while not NOTE.exists():
        time.sleep(0.01)
    write(answer(seq + 1))
    NOTE.with_suffix(".done").touch()


def answers_late(seq):
    """Answer the first request of all, but only after the next has been asked of a program that was not restarted."""
    sys.stdin.buffer.readline()
    write(answer(seq))


def prints_a_blank_line(seq):
    write("\n" + answer(seq))


def prints_only_a_blank_line(seq):
    write(" \n")


def prints_rubbish(seq):
    complain("verbose")
    write("Hello, \x1b[1mworld\n")


def prints_invalid_utf8(seq):
    write(b'{"seq": %d, "value": "\xff"}\n' % seq)


def prints_an_array(seq):
    write("[1]\n")


def prints_deep_nesting(seq):
    write("[" * 100_000 + "\n")


def prints_a_key_twice(seq):
    write(answer(seq).replace("}", ', "value": "2"}'))


def answers_with_value_and_error(seq):
    write(answer(seq, value="1", error={"name": "InvalidLevel", "message": ""}))


def answers_with_nothing(seq):
    write(answer(seq, answer="1"))


def answers_with_an_error_that_is_a_text(seq):
    write(answer(seq, error="InvalidLevel"))


def answers_with_an_error_without_name(seq):
    write(answer(seq, error={"message": "no"}))


def answers_with_skipped_true(seq):
    write(answer(seq, skipped=True))


def answers_nan(seq):
    write(answer(seq).replace('"1"', '{"lower": NaN, "upper": 0.10, "exact": -Infinity}'))


def answers_null(seq):
    write(answer(seq, value=None))


def answers_on_windows(seq):
    write(answer(seq).replace("\n", "\r\n"))


def closes_input(seq):
    os.close(0)
    write(answer(seq))
    sleep()


def closes_output(seq):
    os.close(1)
    sleep()


def stops_reading(seq):
    write(answer(seq))
    sleep()


def answers_before_the_question_is_whole(seq):
    write(answer(seq))
    os.read(0, 1)
    write(answer(seq + 1))
    sleep()


def ignores_stop(seq):
    write(answer(seq))
    sys.stdin.buffer.read()
    sleep()


def leaves_a_child(seq):
    start_child(stdout=-3, stderr=-3)
    write(answer(seq))


def says_goodbye(seq):
    write(answer(seq))


STARTS = {
    "start_hangs": sleep,
    "start_burns": burn,
    "start_exits": lambda: (complain("no licence\n"), os._exit(3)),
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
            os._exit(4)
        elif op == "start" and MODE == "restart_fails_at_times" and starts % 3 != 1:
            os._exit(4)
        elif op == "start":
            write(json.dumps(DECLARATION) + "\n")
        elif op == "fine":
            write(answer(request["seq"], value=f"fine {os.getpid()}"))
        elif MODE.startswith("restart_"):
            os._exit(7)
        else:
            globals()[MODE](request["seq"])
    if MODE == "says_goodbye":
        complain("bye\n" * 300_000)
        write("bye\n" * 300_000)
        NOTE.write_text("ended by itself")


if __name__ == "__main__":
    main()
