"""The workers' side of tests/bench/turns.py."""
import sys
import time


def serve(step, warm_up):
    """Does `warm_up` steps and says "ready", then for every line N on stdin does N and prints their seconds."""
    for index in range(warm_up):
        step(index)
    print('ready', flush=True)
    for line in sys.stdin:
        start = time.monotonic()
        for index in range(int(line)):
            step(index)
        print(time.monotonic() - start, flush=True)
