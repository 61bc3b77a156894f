"""Runs a command at a terminal of its own and types what a person would.

The first argument is a list of pairs: what is waited for, and what is then typed.
"""

import json
import os
import pty
import select
import sys
import time

steps, command = json.loads(sys.argv[1]), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
seen, read, until = b"", 0, time.monotonic() + 60
while True:
    if not select.select([terminal], [], [], max(0, until - time.monotonic()))[0]:
        sys.exit("not in time: %r" % seen)
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    seen += piece
    while steps and steps[0][0].encode() in seen[read:]:
        read = seen.index(steps[0][0].encode(), read) + len(steps[0][0].encode())
        os.write(terminal, steps.pop(0)[1].encode())
status = os.waitpid(pid, 0)[1]
sys.stdout.write(seen.decode("utf-8", "replace"))
sys.exit(os.waitstatus_to_exitcode(status))
