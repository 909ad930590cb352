#!/usr/bin/env python3
"""The Python module in python/: what it writes, and that it never harms the program around it. Needs nothing but Python."""

import ast
import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULE = os.path.join(ROOT, "python")

LOOP = """
import epochcast
for epoch in epochcast.epochs(2):
    for batch in epochcast.track([1, 2, 3]):
        epochcast.log(loss=batch)
"""


class ModuleTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.events_path = self.path("events.jsonl")
        self.stop_path = self.path("stop")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def environment(self, **variables):
        known = ("PATH", "HOME", "LANG", "TMPDIR")
        inherited = {name: os.environ[name] for name in known if name in os.environ}
        ours = {
            "PYTHONPATH": MODULE,
            "PYTHONDONTWRITEBYTECODE": "1",
            "EPOCHCAST_EVENTS": self.events_path,
            "EPOCHCAST_STOP_FILE": self.stop_path,
        }
        ours.update(variables)
        return {**inherited, **{name: value for name, value in ours.items() if value is not None}}

    def run_python(self, text, **variables):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", text], env=self.environment(**variables), cwd=self.folder.name,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def events(self):
        if not os.path.exists(self.events_path):
            return []
        with open(self.events_path) as file:
            return [json.loads(line) for line in file if line.strip()]

    def names(self):
        return [event["event"] for event in self.events()]

    # What is written

    def test_loops_write_epochs_steps_and_metrics(self):
        before_ns = time.monotonic_ns()
        self.run_python("""
import epochcast, time
for epoch in epochcast.epochs(2):
    for batch in epochcast.track([1, 2]):
        time.sleep(0.11)
        epochcast.log(loss=batch / 2)
    with epochcast.evaluation():
        pass
    epochcast.log(accuracy=0.5)
""")
        of_epoch = ["epoch_begin", "step", "step", "evaluate_begin", "evaluate_end", "epoch_end"]
        events = self.events()
        self.assertEqual(self.names(), ["train_begin"] + of_epoch * 2 + ["train_end"])
        self.assertEqual(events[0]["epochs"], 2)
        step = events[9]
        self.assertEqual((step["epoch"], step["step"], step["steps"], step["metrics"]), (1, 2, 2, {"loss": 1.0}))
        self.assertEqual(events[12]["metrics"], {"accuracy": 0.5})
        times = [event["time_ns"] for event in events]
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[0], before_ns)
        self.assertLess(times[-1], time.monotonic_ns())

    def test_steps_are_written_ten_times_a_second_at_most(self):
        self.run_python("""
import epochcast
for batch in epochcast.track(range(100000), epoch=3, epochs=4):
    epochcast.log(loss=batch)
""")
        events = self.events()
        seconds = (events[-1]["time_ns"] - events[0]["time_ns"]) / 1e9
        self.assertLessEqual(self.names().count("step"), seconds * 10 + 1)
        end = next(event for event in events if event["event"] == "epoch_end")
        self.assertEqual((end["epoch"], end["step"], end["metrics"]["loss"]), (3, 100000, 99999))
        self.assertEqual(self.names()[-1], "train_end")  # the fourth of four

    def test_passes_without_epochs_are_counted(self):
        self.run_python("""
import epochcast
for _ in range(3):
    for batch in epochcast.track([1]):
        pass
""")
        self.assertEqual([event["epoch"] for event in self.events() if event["event"] == "epoch_end"], [0, 1, 2])

    def test_an_epoch_that_is_left_early_does_not_count(self):
        self.run_python("""
import epochcast
for epoch in epochcast.epochs(5):
    for batch in epochcast.track([1, 2]):
        if epoch == 1:
            break
    if epoch == 1:
        break
""")
        self.assertEqual([event["epoch"] for event in self.events() if event["event"] == "epoch_end"], [0])
        self.assertNotIn("train_end", self.names())

    def test_an_epoch_after_whose_last_batch_the_loop_is_left_counts(self):
        self.run_python("""
import epochcast
for epoch in epochcast.epochs(5):
    for batch in epochcast.track([1, 2]):
        pass
    break
""")
        self.assertEqual([event["epoch"] for event in self.events() if event["event"] == "epoch_end"], [0])

    def test_values_that_are_no_numbers_are_named_once(self):
        done = self.run_python("""
import epochcast
class Tensor:
    def detach(self): return self
    def __float__(self): return 0.25
for i in range(2):
    epochcast.log(a=Tensor(), b=float("nan"), c=float("-inf"), d="text", e=None, f=True)
""")
        self.assertEqual(self.events()[0]["metrics"], {"a": 0.25, "b": "nan", "c": "-inf", "f": 1})
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("'d' is no number: str", done.stderr)

    def test_the_loader_is_otherwise_as_before(self):
        done = self.run_python("""
import epochcast
class Loader(list):
    batch_size = 7
tracked = epochcast.track(Loader([1, 2]))
print(len(tracked), tracked.batch_size, list(tracked), list(tracked))
print(list(epochcast.track(iter([3]))))
""")
        self.assertEqual(done.stdout, "2 7 [1, 2] [1, 2]\n[3]\n")

    def test_the_path_is_that_of_the_start(self):
        self.run_python("import epochcast, os; os.chdir('/'); epochcast.log(a=1)", EPOCHCAST_EVENTS="events.jsonl")
        self.assertEqual(self.names(), ["metrics"])

    # Harm

    def test_without_the_variable_nothing_happens(self):
        done = self.run_python(
            LOOP + "loader = [1]\nassert epochcast.track(loader) is loader\nassert not epochcast.should_stop()\n"
            "import signal\nassert signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL\n",
            EPOCHCAST_EVENTS=None, EPOCHCAST_STOP_FILE=None)
        self.assertEqual((done.stdout, done.stderr, os.listdir(self.folder.name)), ("", "", []))

    def test_a_full_disk_gives_one_warning(self):
        done = self.run_python(LOOP + "print('done')", EPOCHCAST_EVENTS="/dev/full")
        self.assertEqual(done.stdout, "done\n")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("epochcast: warning: /dev/full: ", done.stderr)

    def test_a_folder_that_is_missing_gives_one_warning(self):
        done = self.run_python(LOOP, EPOCHCAST_EVENTS=self.path("none/events"))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_a_closed_stderr_is_no_exception(self):
        self.run_python("import sys; sys.stderr.close()\n" + LOOP, EPOCHCAST_EVENTS="/dev/full")

    def test_a_pipe_that_nobody_reads_stops_nothing(self):
        os.mkfifo(self.events_path)
        done = self.run_python(LOOP)
        self.assertIn("warning", done.stderr)
        os.unlink(self.events_path)

    def test_a_line_that_was_cut_off_costs_only_itself(self):
        self.run_python("""
import epochcast, os
from epochcast import _writer
whole = os.write
calls = []
def once(file, data):
    calls.append(1)
    if len(calls) > 1:
        raise OSError(28, "No space left on device")
    return whole(file, data[:5])
_writer.os.write = once
epochcast.log(a=1)
_writer.os.write = whole
epochcast.log(a=2)
""")
        with open(self.events_path) as file:
            lines = file.read().split("\n")
        self.assertEqual(lines[0], '{"eve')
        self.assertEqual(json.loads(lines[1])["metrics"], {"a": 2})

    def test_a_forked_worker_does_not_write(self):
        self.run_python("""
import epochcast, os
epochcast.log(a=1)
if os.fork() == 0:
    epochcast.log(b=2)
    for batch in epochcast.track([1]): pass
    os._exit(0)
os.wait()
epochcast.log(c=3)
""")
        self.assertEqual([event.get("metrics") for event in self.events()], [{"a": 1}, {"c": 3}])

    def test_threads_write_whole_lines(self):
        self.run_python("""
import epochcast, threading
def work(name):
    for i in range(200):
        epochcast.log(**{name: i})
threads = [threading.Thread(target=work, args=("t%d" % i,)) for i in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
""")
        self.assertGreater(len(self.events()), 0)  # each line is JSON

    # Ranks

    def test_only_rank_0_writes(self):
        for variables, rank in [
            ({"RANK": "0", "SLURM_PROCID": "1"}, 0),
            ({"RANK": "1", "LOCAL_RANK": "0"}, None),
            ({"SLURM_PROCID": "0", "LOCAL_RANK": "1"}, None),
            ({"SLURM_PROCID": "2"}, None),
            ({"SLURM_PROCID": "0"}, 0),
            ({"OMPI_COMM_WORLD_RANK": "3"}, None),
        ]:
            with self.subTest(variables):
                self.run_python(LOOP, **variables)
                self.assertEqual({event["rank"] for event in self.events()}, {rank} if rank is not None else set())
                if self.events():
                    os.unlink(self.events_path)

    # The end before the time limit

    def test_should_stop_sees_the_file(self):
        done = self.run_python("""
import epochcast, os, time
print(epochcast.should_stop())
open(os.environ["EPOCHCAST_STOP_FILE"], "w").close()
print(epochcast.should_stop())  # it looks twice a second
time.sleep(0.6)
print(epochcast.should_stop(), epochcast.should_stop())
""")
        self.assertEqual(done.stdout, "False\nFalse\nTrue True\n")

    def test_should_stop_between_epochs_sees_the_file_for_their_end(self):
        for loop in ("for epoch in epochcast.epochs(2):\n for batch in epochcast.track(range(2)):\n  ",
                     "for epoch in range(2):\n for batch in epochcast.track(range(2)):\n  "):
            done = self.run_python(
                "import epochcast, os\nopen(os.environ['EPOCHCAST_STOP_FILE'] + '.after_epoch', 'w').close()\n"
                + loop + "print(epochcast.should_stop())\n print(epochcast.should_stop())\n break\n")
            self.assertEqual(done.stdout, "False\nFalse\nTrue\n")

    def test_should_stop_takes_the_signal_and_calls_the_handler_before(self):
        done = self.run_python("""
import epochcast, os, signal
signal.signal(signal.SIGUSR1, lambda number, frame: print("mine"))
print(epochcast.should_stop())
os.kill(os.getpid(), signal.SIGUSR1)
print(epochcast.should_stop())
""", EPOCHCAST_STOP_FILE=None)
        self.assertEqual(done.stdout, "False\nmine\nTrue\n")

    def test_the_signal_no_longer_ends_the_program(self):
        program = subprocess.Popen(
            [sys.executable, "-c", "import epochcast, time\nepochcast.should_stop(); print('ready', flush=True)\n"
             "while not epochcast.should_stop(): time.sleep(0.01)\nprint('saved')"],
            env=self.environment(), stdout=subprocess.PIPE, universal_newlines=True)
        self.addCleanup(program.stdout.close)
        self.assertEqual(program.stdout.readline(), "ready\n")
        program.send_signal(signal.SIGUSR1)
        self.assertEqual(program.communicate(timeout=60)[0], "saved\n")

    def test_should_stop_in_a_thread_is_no_exception(self):
        self.run_python("""
import epochcast, threading
results = []
thread = threading.Thread(target=lambda: results.append(epochcast.should_stop()))
thread.start(); thread.join()
assert results == [False]
""")

    # Installation

    def test_the_sources_are_python_3_8(self):
        for folder, _, names in os.walk(MODULE):
            for name in names:
                if name.endswith(".py"):
                    with open(os.path.join(folder, name)) as file:
                        ast.parse(file.read(), name, feature_version=(3, 8))

    def test_pip_installs_it_without_network_from_a_read_only_folder(self):
        if subprocess.run([sys.executable, "-m", "pip", "--version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE).returncode:
            self.skipTest("this Python has no pip")
        source, target = self.path("python"), self.path("site")
        for folder in ("", "epochcast"):
            os.makedirs(os.path.join(source, folder), exist_ok=True)
            for name in os.listdir(os.path.join(MODULE, folder)):
                if os.path.isfile(os.path.join(MODULE, folder, name)):
                    with open(os.path.join(MODULE, folder, name), "rb") as file:
                        content = file.read()
                    with open(os.path.join(source, folder, name), "wb") as file:
                        file.write(content)
        before = sorted(os.walk(source))
        for folder in (os.path.join(source, "epochcast"), source):
            os.chmod(folder, stat.S_IRUSR | stat.S_IXUSR)
            self.addCleanup(os.chmod, folder, stat.S_IRWXU)
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check",
             "--target", target, source],
            env={**self.environment(), "PIP_NO_INPUT": "1"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.walk(source)), before)
        self.run_python("import epochcast; print(epochcast.__file__)\n" + LOOP, PYTHONPATH=target)
        self.assertIn("epoch_end", self.names())

    # docs/howto/exact-times.md

    def test_the_examples_of_the_documents_run(self):
        with open(os.path.join(ROOT, "docs", "howto", "exact-times.md")) as file:
            text = file.read()
        examples = re.findall(r"<!-- run: (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL)
        self.assertEqual([name for name, _ in examples], ["loop.py", "loop.sh"])
        for name, code in examples:
            with self.subTest(name):
                with open(self.path(name), "w") as file:
                    file.write(code)
                program = [sys.executable, name] if name.endswith(".py") else ["sh", name]
                done = subprocess.run(program, env=self.environment(), cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertEqual(self.names()[0::len(self.names()) - 1], ["train_begin", "train_end"])
                self.assertGreaterEqual(self.names().count("epoch_end"), 2)
                os.unlink(self.events_path)


if __name__ == "__main__":
    unittest.main()
