"""A program that does what its first argument says: one deed for each line that it reads, the last again and again."""

import json
import os
import subprocess
import sys
import time

DECLARATION = {"name": "fuzz", "version": "1", "operations": ["loss"], "numbers": ["float64"]}


def write(text, descriptor=1):
    data = text.encode("utf-8", "surrogatepass")
    while data:
        data = data[os.write(descriptor, data) :]


def do(deed, text, line):
    seq = line.get("seq") if isinstance(line, dict) else None
    match deed:
        case "answer":
            write(json.dumps({"seq": seq, "value": text} if seq else DECLARATION) + "\n")
        case "say":
            write(text)
        case "say seq":
            write(text.replace("SEQ", str(seq)) + "\n")
        case "complain":
            write(text * 1_000, 2)
        case "flood":
            while True:
                write(text * 4_096)
        case "sleep":
            time.sleep(600)
        case "exit":
            os._exit(len(text) % 256)
        case "die":
            os.kill(os.getpid(), 1 + len(text) % 15)
        case "close":
            os.close(len(text) % 3)
        case "child":
            subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
            write(json.dumps({"seq": seq, "value": text}) + "\n")


def main():
    deeds = json.loads(sys.argv[1])
    for raw in sys.stdin.buffer:
        try:
            line = json.loads(raw)
        except ValueError:
            line = None
        deed, text = deeds.pop(0) if len(deeds) > 1 else deeds[0]
        do(deed, text, line)


main()
