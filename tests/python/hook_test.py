#!/usr/bin/env python3
"""`epochcast-run --hook` from the side of Python: what the hook writes, that the program sees nothing of it, and that it counts
no epoch where it is in doubt. Fake modules stand for the frameworks, except where a test has the real PyTorch."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SITE = os.path.join(ROOT, "python", "epochcast", "_site")
HAS_TORCH = importlib.util.find_spec("torch") is not None

# What the hook needs of torch: an optimizer with the public hook, and the iterator of a DataLoader.
FAKE_TORCH = {
    "torch/__init__.py": "import torch.optim, torch.utils.data",
    "torch/optim/__init__.py": "from torch.optim.optimizer import SGD",
    "torch/optim/optimizer.py": """
hooks = []
def register_optimizer_step_post_hook(hook): hooks.append(hook)
class SGD:
    def step(self):
        for hook in hooks: hook(self, (), {})
""",
    "torch/utils/__init__.py": "",
    "torch/utils/data/__init__.py": "from torch.utils.data.dataloader import DataLoader",
    "torch/utils/data/dataloader.py": """
class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._dataset, self._left = loader.dataset, list(loader.dataset)
        self._reset(loader, True)
    def __iter__(self): return self
    def __len__(self): return len(self._dataset)
    def _reset(self, loader, first_iter=False): self._left = list(loader.dataset)
    def __next__(self):
        if not self._left: raise StopIteration
        return self._left.pop(0)
class DataLoader:
    def __init__(self, dataset, keep=False): self.dataset, self.keep, self.kept = dataset, keep, None
    def __iter__(self):
        if self.kept is None: made = _BaseDataLoaderIter(self)
        else: made = self.kept; made._reset(self)
        self.kept = made if self.keep else None
        return made
""",
}
BEGIN = """
import torch, torch.utils.data
from torch.utils.data import DataLoader
train, test, other = DataLoader([1, 2, 3]), DataLoader([1, 2]), DataLoader([5, 6])
optimizer = torch.optim.SGD()
def evaluate(loader=test):
    for batch in loader: pass
"""
EPOCH = ["train_begin", "epoch_begin 0", "epoch_end 0"]


class HookTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.events_path = os.path.join(self.folder.name, "events.jsonl")

    def write(self, files):
        for name, text in files.items():
            path = os.path.join(self.folder.name, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)

    def run_python(self, text, files=None, options=(), hooked=True, python=sys.executable, **variables):
        self.write({**(files if files is not None else FAKE_TORCH), "program.py": textwrap.dedent(text)})
        environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        environment.update(PYTHONDONTWRITEBYTECODE="1", **variables)
        if hooked:
            paths = [SITE] + [path for path in [variables.get("PYTHONPATH")] if path]
            environment.update(PYTHONPATH=os.pathsep.join(paths), EPOCHCAST_HOOK=self.events_path)
        return subprocess.run(
            [python, *options, "program.py"], env=environment, cwd=self.folder.name, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, universal_newlines=True, timeout=120)

    def events(self, notes=False):
        """"epoch_end 3", without steps; notes are apart."""
        with open(self.events_path) as file:
            lines = [json.loads(line) for line in file]
        if notes:
            return [line["text"] for line in lines if line["event"] == "note"]
        times = [line["time_ns"] for line in lines if line["event"] != "note"]
        self.assertEqual(times, sorted(times))
        return [" ".join(str(line[key]) for key in ("event", "epoch") if key in line)
                for line in lines if line["event"] not in ("step", "note")]

    def after(self, text, **kwargs):
        done = self.run_python(BEGIN + textwrap.dedent(text), **kwargs)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.events()

    def test_a_pass_with_steps_is_an_epoch_and_one_without_an_evaluation(self):
        events = self.after("""
            evaluate()
            for epoch in range(2):
                for batch in train: optimizer.step()
                evaluate()""")
        self.assertEqual(events, [
            "train_begin", "epoch_begin 0", "epoch_end 0", "evaluate_begin 0", "evaluate_end 0",
            "epoch_begin 1", "epoch_end 1", "evaluate_begin 1", "evaluate_end 1", "train_end"])
        self.assertEqual(self.events(notes=True), [])

    def test_an_evaluation_within_an_epoch_is_written_there(self):
        events = self.after("""
            for batch in train:
                optimizer.step()
                if batch == 2: evaluate()""")
        self.assertEqual(events, ["train_begin", "epoch_begin 0", "evaluate_begin 0", "evaluate_end 0", "epoch_end 0", "train_end"])

    def test_one_after_the_training_is_no_part_of_the_last_epoch(self):
        events = self.after("""
            for epoch in range(2):
                for batch in train: optimizer.step()
                evaluate()
            evaluate()
            evaluate(other)""")
        self.assertEqual(events[-4:], ["epoch_end 1", "evaluate_begin 1", "evaluate_end 1", "train_end"])
        self.assertIn("after the training", self.events(notes=True)[0])

    def test_workers_that_stay_begin_a_new_pass(self):
        events = self.after("""
            train = DataLoader([1, 2, 3], keep=True)
            for epoch in range(2):
                for batch in train: optimizer.step()""")
        self.assertEqual(events, EPOCH + ["epoch_begin 1", "epoch_end 1", "train_end"])

    def test_a_loader_that_is_left_early_gives_no_epoch(self):
        events = self.after("""
            for epoch in range(3):
                for batch in train:
                    optimizer.step()
                    if batch == 2: break""")
        self.assertFalse([event for event in events if event.startswith("epoch_end")])
        self.assertIn("left after 2 of 3 batches", self.events(notes=True)[0])

    def test_after_a_whole_epoch_it_ends_the_count(self):
        events = self.after("""
            for epoch in range(3):
                for batch in train:
                    optimizer.step()
                    if epoch == 1: break""")
        self.assertEqual(events, EPOCH[:2] + ["epoch_end 0", "epoch_begin 1", "epoch_drop"])
        self.assertIn("left after 1 of 3 batches: no epochs after 0", self.events(notes=True)[0])

    def test_whoever_counts_the_batches_has_whole_passes(self):
        events = self.after("""
            for epoch in range(2):
                batches = iter(train)
                for _ in range(3):
                    next(batches)
                    optimizer.step()
                evaluate()""")
        self.assertEqual([event for event in events if "epoch_end" in event], ["epoch_end 0", "epoch_end 1"])

    def test_an_endless_loader_gives_no_epoch(self):
        events = self.after("""
            import itertools
            for index, batch in zip(range(20), itertools.cycle(train)): optimizer.step()""")
        self.assertEqual(events, ["train_begin", "epoch_begin 0", "epoch_drop"])
        self.assertIn("no epochs are counted", self.events(notes=True)[0])

    def test_two_loaders_at_once_give_no_epoch(self):
        events = self.after("""
            for epoch in range(2):
                for one, two in zip(train, other): optimizer.step()""")
        self.assertFalse([event for event in events if event.startswith("epoch_end")])
        self.assertIn("two loaders", self.events(notes=True)[0])

    def test_a_batch_that_was_taken_before_is_no_second_loader(self):
        events = self.after("""
            kept = iter(train)
            next(kept)
            for epoch in range(2):
                for batch in train: optimizer.step()""")
        self.assertEqual([event for event in events if "epoch_end" in event], ["epoch_end 0", "epoch_end 1"])

    def test_the_last_step_of_an_accumulation_may_follow_the_pass(self):
        events = self.after("""
            for epoch in range(2):
                for batch in train:
                    if batch % 2 == 0: optimizer.step()
                optimizer.step()""")
        self.assertEqual(events, EPOCH + ["epoch_begin 1", "epoch_end 1", "train_end"])

    def test_what_looks_for_a_learning_rate_is_no_epoch(self):
        finder = {"torch_lr_finder/__init__.py": "from torch_lr_finder.lr_finder import LRFinder",
                  "torch_lr_finder/lr_finder.py": """
class LRFinder:
    def range_test(self, loader, optimizer):
        for round in range(2):
            for batch in loader: optimizer.step()
        raise KeyError("diverged")
"""}
        events = self.after("""
            from torch_lr_finder import LRFinder
            try: LRFinder().range_test(train, optimizer)
            except KeyError: pass
            for batch in train: optimizer.step()""", files={**FAKE_TORCH, **finder})
        self.assertEqual(events, EPOCH + ["train_end"])
        self.assertEqual(self.events(notes=True), ["--hook: range_test is no part of the training"])

    def test_steps_without_a_loader_are_told(self):
        self.assertEqual(self.after("optimizer.step()"), [])
        self.assertIn("1 steps of optimizers, none in a pass", self.events(notes=True)[0])

    def test_passes_without_a_step_are_told(self):
        self.assertEqual(self.after("evaluate(); evaluate(train)"), [])
        self.assertIn("2 passes over a DataLoader, and no step of an optimizer", self.events(notes=True)[0])

    def test_a_forked_child_of_a_training_writes_nothing(self):
        events = self.after("""
            import os
            for batch in train:
                optimizer.step()
                if batch == 2 and os.fork() == 0:
                    evaluate(); raise SystemExit
            os.wait()""")
        self.assertEqual(events, EPOCH + ["train_end"])
        self.assertEqual(["forked" in text for text in self.events(notes=True)], [True])

    def test_a_process_of_multiprocessing_is_written_to_its_end(self):
        events = self.after("""
            import multiprocessing
            def fit():
                for batch in train: optimizer.step()
            process = multiprocessing.get_context("fork").Process(target=fit)
            process.start(); process.join()""")
        self.assertEqual(events, EPOCH + ["train_end"])

    def test_a_process_that_begins_anew_is_watched_too(self):
        for method in ("spawn", "forkserver"):
            done = self.run_python("""
                import multiprocessing, torch, torch.utils.data
                def fit():
                    optimizer = torch.optim.SGD()
                    for batch in torch.utils.data.DataLoader([1, 2, 3]): optimizer.step()
                if __name__ == "__main__":
                    process = multiprocessing.get_context("{}").Process(target=fit)
                    process.start(); process.join()""".format(method))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.events(), EPOCH + ["train_end"], method)
            os.remove(self.events_path)

    def test_programs_that_it_starts_are_watched_too(self):
        self.write({"part.py": BEGIN + "for batch in train: optimizer.step()"})
        events = self.after("""
            import os, subprocess, sys
            for part in range(2): subprocess.run([sys.executable, "part.py"], check=True)
            os.execv(sys.executable, [sys.executable, "part.py"])""")
        self.assertEqual(events, (EPOCH + ["train_end"]) * 3)

    def test_only_rank_0_writes(self):
        self.assertEqual(self.after("for batch in train: optimizer.step()", RANK="1"), [])

    def test_what_fails_in_it_is_a_note(self):
        files = dict(FAKE_TORCH)
        files["torch/utils/data/dataloader.py"] += "\ndel _BaseDataLoaderIter.__next__\n"
        done = self.run_python("import torch; print('goes on')", files=files)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "goes on\n", ""))
        self.assertIn("AttributeError", self.events(notes=True)[0])

    def test_a_folder_that_is_missing_is_no_exception(self):
        done = self.run_python("print('goes on')", EPOCHCAST_HOOK="/none/x")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "goes on\n", ""))

    def test_the_program_sees_what_it_would_see_without_it(self):
        program = """
            import sys
            print([path for path in sys.path if "stdlib" not in path], "sitecustomize" in sys.modules, sys.argv)
            import missing"""
        with_hook, without = self.run_python(program), self.run_python(program, hooked=False)
        self.assertEqual(with_hook.stdout, without.stdout)
        self.assertEqual((with_hook.stderr, with_hook.returncode), (without.stderr, without.returncode))

    def test_its_own_sitecustomize_runs(self):
        own = os.path.join(self.folder.name, "own")
        self.write({"own/sitecustomize.py": "print('own')"})
        self.assertEqual(self.run_python("import sitecustomize", PYTHONPATH=own).stdout, "own\n")
        self.write({"own/sitecustomize.py": "1 / 0"})
        self.assertIn("ZeroDivisionError", self.run_python("pass", PYTHONPATH=own).stderr)

    def test_a_virtual_environment_keeps_its_own_sitecustomize(self):
        home = os.path.join(self.folder.name, "venv")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
        site_packages = "venv/lib/python{}.{}/site-packages".format(*sys.version_info)
        self.write({site_packages + "/sitecustomize.py": "import builtins; builtins.own = 'own'"})
        program = BEGIN + "for batch in train: optimizer.step()\nimport builtins; print(getattr(builtins, 'own', ''))"
        python = os.path.join(home, "bin", "python")
        without = self.run_python(program, hooked=False, python=python)  # Debian's own Python has one that comes first
        self.assertEqual(self.run_python(program, python=python).stdout, without.stdout)
        self.assertEqual(self.events(), EPOCH + ["train_end"])

    def test_isolated_python_has_no_hook(self):
        for option in ("-I", "-E", "-S"):
            self.run_python("import os", options=[option])
            self.assertFalse(os.path.exists(self.events_path), option)

    def test_any_python_can_read_what_it_finds_by_pythonpath(self):
        with open(os.path.join(SITE, "sitecustomize.py")) as file:
            text = file.read()
        self.assertNotRegex(text, r"\bf[\"']|:=|nonlocal|print\(|async ")
        self.assertEqual(os.listdir(SITE).count("sitecustomize.py"), 1)

    XGBOOST = {"xgboost/__init__.py": "", "xgboost/callback.py": """
class TrainingCallback:
    def before_training(self, model): return model
    def after_training(self, model): return model
    def before_iteration(self, model, epoch, evals_log): return False
    def after_iteration(self, model, epoch, evals_log): return False
class CallbackContainer:
    def __init__(self, callbacks): self.callbacks = list(callbacks)
def train(callbacks, rounds=2):
    callbacks = CallbackContainer(callbacks).callbacks
    for callback in callbacks: callback.before_training("model")
    for epoch in range(rounds):
        if any(callback.before_iteration("model", epoch, {}) for callback in callbacks): break
        if any(callback.after_iteration("model", epoch, {"train": {"loss": [2, 1]}}) for callback in callbacks): break
    for callback in callbacks: callback.after_training("model")
"""}

    def test_rounds_of_xgboost(self):
        done = self.run_python("from xgboost.callback import train; train([]); train([])", files=self.XGBOOST)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        one = EPOCH + ["epoch_begin 1", "epoch_end 1", "train_end"]
        self.assertEqual(self.events(), one * 2)
        with open(self.events_path) as file:
            self.assertIn('"metrics":{"train-loss":1}', file.read())

    def test_a_round_of_xgboost_holds_what_other_callbacks_do(self):
        program = """
            import time
            from xgboost.callback import TrainingCallback, train
            class Own(TrainingCallback):
                def before_iteration(self, model, epoch, evals_log): time.sleep(0.05); return {before}
                def after_iteration(self, model, epoch, evals_log): time.sleep(0.05); return {after}
            train([Own()])"""
        ends = {
            ("False", "False"): EPOCH + ["epoch_begin 1", "epoch_end 1", "train_end"],
            ("epoch == 1", "False"): EPOCH + ["epoch_begin 1", "epoch_drop", "train_end"],
            ("False", "epoch == 0"): EPOCH + ["train_end"]}
        for (before, after), expected in ends.items():
            self.run_python(program.format(before=before, after=after), files=self.XGBOOST)
            self.assertEqual(self.events(), expected)
            with open(self.events_path) as file:
                times = {line["event"]: line["time_ns"] for line in map(json.loads, file) if line.get("epoch") == 0}
            self.assertGreater(times["epoch_end"] - times["epoch_begin"], 100e6)
            os.remove(self.events_path)

    def test_an_evaluation_of_the_trainer_holds_its_first_batch(self):
        files = {"transformers/__init__.py": """
class TrainerCallback: pass
""", "transformers/trainer.py": """
import time, types
class Trainer:
    def __init__(self):
        self.callback_handler = types.SimpleNamespace(callbacks=[])
        self.state = types.SimpleNamespace(epoch=0, global_step=0, num_train_epochs=1)
    def add_callback(self, callback): self.callback_handler.callbacks.append(callback)
    def tell(self, event, **kwargs):
        for callback in self.callback_handler.callbacks: getattr(callback, "on_" + event)(None, self.state, None, **kwargs)
    def train(self):
        for event in ("train_begin", "epoch_begin", "step_end"): self.tell(event)
        self.state.epoch = 1
        self.tell("epoch_end")
        self.evaluate()
        self.tell("train_end")
    def evaluate(self):
        for batch in range(2):
            time.sleep(0.1)
            self.tell("prediction_step")
        self.tell("log", logs={"eval_loss": 1})
        self.tell("evaluate")
"""}
        program = "import time; from transformers.trainer import Trainer; t = Trainer(); t.train(); time.sleep(0.5); t.evaluate()"
        done = self.run_python(program, files=files)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        evaluation = ["evaluate_begin 0", "metrics 0", "evaluate_end 0"]
        self.assertEqual(self.events(), EPOCH + evaluation + ["train_end"] + evaluation)
        with open(self.events_path) as file:
            times = [line["time_ns"] for line in map(json.loads, file) if line["event"].startswith("evaluate_")]
        self.assertGreater(times[1] - times[0], 200e6)
        self.assertLess(times[3] - times[2], 500e6)  # what the program did before is no part of one after the training

    @unittest.skipUnless(HAS_TORCH, "skipped: needs torch")
    def test_torch_itself(self):
        done = self.run_python("""
            import torch
            from torch.utils.data import DataLoader, TensorDataset
            if __name__ == "__main__":
                model = torch.nn.Linear(2, 1)
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                for workers in ({}, dict(num_workers=1), dict(num_workers=1, persistent_workers=True)):
                    train = DataLoader(TensorDataset(torch.zeros(6, 2)), batch_size=2, **workers)
                    for epoch in range(2):
                        for (batch,) in train:
                            model(batch).sum().backward()
                            optimizer.step()""", files={})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        ends = [event for event in self.events() if "epoch_end" in event]
        self.assertEqual(ends, ["epoch_end {}".format(epoch) for epoch in range(6)])
        self.assertEqual(self.events(notes=True), [])


if __name__ == "__main__":
    unittest.main()
