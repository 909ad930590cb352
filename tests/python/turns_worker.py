"""The workers' side of tests/bench/turns.py."""
import sys
import time


def serve(step, warm_up):
    """Does `warm_up` steps and says "ready", then for every line N on stdin does N and prints their seconds."""
    serve_kinds([step], warm_up)


def serve_kinds(steps, warm_up):
    """The same of several kinds of steps; a line may name one by its place: N KIND."""
    for step in steps:
        for index in range(warm_up):
            step(index)
    print('ready', flush=True)
    for line in sys.stdin:
        count, kind = [*map(int, line.split()), 0][:2]
        step = steps[kind]
        start = time.monotonic()
        for index in range(count):
            step(index)
        print(time.monotonic() - start, flush=True)
