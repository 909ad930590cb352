#!/usr/bin/env python3
"""Runs a Python program and writes its output, as it comes, with times: lines "SECONDS STREAM HEX".

usage: capture.py [--pipe] CAPTURE PROGRAM [ARGUMENT...]
STREAM is terminal (of 120 columns), or with --pipe: out, err.
"""
import os
import pty
import selectors
import subprocess
import sys
import termios
import time


def main():
    words = sys.argv[1:]
    pipe = words[0] == "--pipe"
    words = words[1:] if pipe else words
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}  # as epochcast-run sets it
    start_s = time.monotonic()
    selector = selectors.DefaultSelector()
    if pipe:
        child = subprocess.Popen([sys.executable, *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=environment)
        selector.register(child.stdout.fileno(), selectors.EVENT_READ, "out")
        selector.register(child.stderr.fileno(), selectors.EVENT_READ, "err")
    else:
        leader, follower = pty.openpty()
        termios.tcsetwinsize(follower, (40, 120))
        child = subprocess.Popen([sys.executable, *words[1:]], stdin=follower, stdout=follower, stderr=follower,
                                 env={**environment, "TERM": "xterm"})
        os.close(follower)
        selector.register(leader, selectors.EVENT_READ, "terminal")
    with open(words[0], "w") as file:
        while selector.get_map():
            for key, _ in selector.select():
                try:
                    data = os.read(key.fd, 65536)
                except OSError:  # the terminal's last user has gone
                    data = b""
                if data:
                    file.write(f"{time.monotonic() - start_s:.6f} {key.data} {data.hex()}\n")
                else:
                    selector.unregister(key.fd)
    return child.wait()


sys.exit(main())
