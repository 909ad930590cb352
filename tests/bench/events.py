#!/usr/bin/env python3
"""What the Python module costs a step: a loop that does nothing, and the same loop with each of its calls, with and without
EPOCHCAST_EVENTS. The smallest of five runs of each."""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CODE = """
import timeit, epochcast
steps = 1_000_000
def plain():
    for _ in range(steps): pass
def track():
    for _ in epochcast.track(range(steps)): pass
def track_and_log():
    for _ in epochcast.track(range(steps)): epochcast.log(loss=1.0)
def should_stop():
    for _ in range(steps): epochcast.should_stop()
times = {f.__name__: min(timeit.repeat(f, number=1, repeat=5)) / steps for f in (plain, track, track_and_log, should_stop)}
for name, seconds in times.items():
    print(f"  {name:14} {seconds * 1e9:7.0f} ns a step")
"""

with tempfile.TemporaryDirectory() as folder:
    ours = {"PYTHONPATH": os.path.join(ROOT, "python")}
    files = {"EPOCHCAST_EVENTS": folder + "/events", "EPOCHCAST_STOP_FILE": folder + "/stop"}
    for title, variables in [("with EPOCHCAST_EVENTS", {**ours, **files}), ("without", ours)]:
        print(title, flush=True)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("EPOCHCAST_")}
        subprocess.run([sys.executable, "-c", CODE], env={**inherited, **variables}, check=True)
