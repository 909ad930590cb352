#!/usr/bin/env python3
"""Real frameworks with tiny models on the CPU: what the callbacks of the Python module write, and what epochcast-run and
`import tensorboard` read from the files that the frameworks write anyway. Run it with the Python that has them."""

import csv
import glob
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.environ.get("EPOCHCAST_BINARY_DIR", "")  # of epochcast-run and epochcast-analyze

LIGHTNING = """
import sys, warnings
warnings.filterwarnings("ignore")
import torch, lightning
from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger
from torch.utils.data import DataLoader, TensorDataset
import epochcast.lightning

class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)
    def loss(self, batch):
        return torch.nn.functional.cross_entropy(self.layer(batch[0]), batch[1])
    def training_step(self, batch, index):
        loss = self.loss(batch)
        self.log("train_loss", loss)
        return loss
    def validation_step(self, batch, index):
        self.log("val_loss", self.loss(batch))
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

x = torch.randn(64, 4)
loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=8, num_workers=1, persistent_workers=True)
lightning.Trainer(
    max_epochs=3, accelerator="cpu", log_every_n_steps=2, enable_progress_bar=False, enable_model_summary=False,
    enable_checkpointing=False, logger=[CSVLogger("csv"), TensorBoardLogger("tb")],
    callbacks=[epochcast.lightning.EpochcastCallback()]).fit(Model(), loader, loader)
"""

KERAS = """
import json, os
os.environ["KERAS_BACKEND"] = "torch"
import numpy, keras, epochcast.keras
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(2, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
x = numpy.random.randn(64, 4).astype("float32")
y = (x[:, 0] > 0).astype("int")
callbacks = [epochcast.keras.EpochcastCallback(), keras.callbacks.CSVLogger("keras.csv")]
history = model.fit(x, y, epochs=3, batch_size=8, validation_data=(x, y), callbacks=callbacks, verbose=0)
json.dump({name: [float(value) for value in values] for name, values in history.history.items()}, open("history.json", "w"))
"""

TRAINER = """
import json, os, torch, epochcast.huggingface
os.environ["TENSORBOARD_LOGGING_DIR"] = "tb"
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
config = BertConfig(vocab_size=50, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8,
                    max_position_embeddings=16)
data = [{"input_ids": torch.randint(0, 50, (8,)), "labels": torch.tensor(i % 2)} for i in range(32)]
arguments = TrainingArguments(
    "out", num_train_epochs=3, per_device_train_batch_size=8, eval_strategy="epoch", logging_steps=3,
    report_to=REPORT_TO, disable_tqdm=True, save_strategy="epoch", use_cpu=True)
trainer = Trainer(BertForSequenceClassification(config), arguments, train_dataset=data, eval_dataset=data,
                  callbacks=[epochcast.huggingface.EpochcastCallback()])
trainer.train()
json.dump(trainer.state.log_history, open("history.json", "w"))
"""

SUMMARY_WRITER = """
import numpy, torch
from torch.utils.tensorboard import SummaryWriter
writer = SummaryWriter("tb")
writer.add_text("about", "text")
writer.add_histogram("weights", numpy.arange(100.0), 0)
writer.add_image("picture", numpy.zeros((3, 8, 8)), 0)
for step in range(5):
    writer.add_scalar("loss", 1 / (step + 1), step)
    writer.add_scalar("new_style", step / 8, step, new_style=True)
    writer.add_scalar("double", step * 1e300, step, new_style=True, double_precision=True)
writer.add_hparams({"lr": 0.1}, {"best": 0.5})
writer.close()
"""


def needs(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, "needs a Python with " + ", ".join(missing))


class FrameworksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_words(self, *words):
        paths = [os.path.join(ROOT, "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
        variables = {**os.environ, "PYTHONPATH": ":".join(paths), "EPOCHCAST_EVENTS": self.path("events.jsonl"),
                     "EPOCHCAST_STOP_FILE": self.path("stop"), "PYTHONDONTWRITEBYTECODE": "1", "TOKENIZERS_PARALLELISM": "false",
                     "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(words, cwd=self.folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout

    def run_program(self, text):
        with open(self.path("program.py"), "w") as file:
            file.write(text)
        self.run_words(sys.executable, "program.py")

    def events(self, name):
        with open(self.path("events.jsonl")) as file:
            return [event for event in map(json.loads, file) if event["event"] == name]

    def expect_epochs(self, steps):
        ends = self.events("epoch_end")
        self.assertEqual([(end["epoch"], end["epochs"], end["step"]) for end in ends], [(0, 3, steps), (1, 3, steps), (2, 3, steps)])
        self.assertEqual([event["epoch"] for event in self.events("epoch_begin")], [0, 1, 2])
        self.assertEqual([event["epoch"] for event in self.events("evaluate_end")], [0, 1, 2])
        self.assertEqual(len(self.events("train_end")), 1)
        return ends

    def rows(self, records, table):
        self.run_words(os.path.join(PROGRAMS, "epochcast-analyze"), "export", "csv", records, "-o", self.path("csv_out"))
        with open(self.path("csv_out", table + ".csv")) as file:
            return list(csv.DictReader(file))

    def imported_epochs(self, path):
        self.run_words(os.path.join(PROGRAMS, "epochcast-analyze"), "import", "tensorboard", path, "-o", self.path("records"))
        return self.rows(self.path("records"), "epochs")

    def recorded_epochs(self, metrics):
        """Of a run whose progress is read from the files that the framework writes."""
        self.run_words(os.path.join(PROGRAMS, "epochcast-run"), "--events", "none", "--metrics", metrics, "--records",
                       self.path("run_records"), "--work", self.path("run_work"), "--", sys.executable, "program.py")
        return self.rows(self.path("run_records"), "epochs")

    @needs("lightning", "tensorboard")
    def test_lightning(self):
        self.run_program(LIGHTNING)
        ends = self.expect_epochs(8)
        with open(glob.glob(self.path("csv", "*", "*", "metrics.csv"))[0]) as file:
            logged = [float(row["val_loss"]) for row in csv.DictReader(file) if row["val_loss"]]
        self.assertEqual([end["metrics"]["val_loss"] for end in ends], logged)
        if PROGRAMS:
            self.assertEqual([(row["epoch"], row["iterations"]) for row in self.imported_epochs(self.path("tb"))],
                             [("0", "8"), ("1", "8"), ("2", "8")])
            self.assertEqual([row["epoch"] for row in self.recorded_epochs("csv")], ["0", "1", "2"])

    @needs("keras", "torch")
    def test_keras(self):
        self.run_program(KERAS)
        ends = self.expect_epochs(8)
        with open(self.path("history.json")) as file:
            history = json.load(file)
        for name, values in history.items():
            self.assertEqual([end["metrics"][name] for end in ends], values)
        if PROGRAMS:
            self.assertEqual([row["epoch"] for row in self.recorded_epochs("keras.csv")], ["0", "1", "2"])

    @needs("transformers", "accelerate", "torch")
    def test_trainer(self):
        board = importlib.util.find_spec("tensorboard") is not None
        self.run_program(TRAINER.replace("REPORT_TO", '["tensorboard"]' if board else "[]"))
        self.expect_epochs(4)
        with open(self.path("history.json")) as file:
            history = [entry["eval_loss"] for entry in json.load(file) if "eval_loss" in entry]
        written = [event["metrics"]["eval_loss"] for event in self.events("metrics") if "eval_loss" in event.get("metrics", {})]
        self.assertEqual(written, history)
        folders = glob.glob(self.path("**", "events.out.tfevents*"), recursive=True)
        if PROGRAMS and board:
            self.assertEqual([row["epoch"] for row in self.imported_epochs(os.path.dirname(folders[0]))], ["0", "1", "2"])

    def expect_stop_after_first_epoch(self, program):
        open(self.path("stop.after_epoch"), "w").close()
        self.run_program(program)
        self.assertEqual([event["epoch"] for event in self.events("epoch_begin")], [0])
        self.assertEqual([event["epoch"] for event in self.events("epoch_end")], [0])
        self.assertEqual(self.events("train_end"), [])

    @needs("lightning", "tensorboard")
    def test_lightning_begins_no_epoch_that_would_not_end_in_time(self):
        self.expect_stop_after_first_epoch(LIGHTNING)

    @needs("keras", "torch")
    def test_keras_begins_no_epoch_that_would_not_end_in_time(self):
        self.expect_stop_after_first_epoch(KERAS)

    @needs("transformers", "accelerate", "torch")
    def test_trainer_begins_no_epoch_that_would_not_end_in_time(self):
        self.expect_stop_after_first_epoch(TRAINER.replace("REPORT_TO", "[]"))
        self.assertEqual(os.listdir(self.path("out")), ["checkpoint-4"])

    @needs("torch", "tensorboard")
    def test_every_scalar_of_pytorch_is_read(self):
        if not PROGRAMS:
            self.skipTest("needs epochcast-analyze (EPOCHCAST_BINARY_DIR)")
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        self.run_program(SUMMARY_WRITER)
        self.run_words(os.path.join(PROGRAMS, "epochcast-analyze"), "import", "tensorboard", self.path("tb"), "-o", self.path("records"))
        record = glob.glob(self.path("records", "*.h5"))[0]
        try:
            import h5py
        except ImportError:
            self.skipTest("needs a Python with h5py")
        with h5py.File(record, "r") as file:
            read = {(row["name"].decode(), int(row["iteration"])): float(row["value"]) for row in file["metrics"][:]}
        board = EventAccumulator(self.path("tb"), size_guidance={"scalars": 0, "tensors": 0})
        board.Reload()
        expected = {(tag, event.step): event.value for tag in board.Tags()["scalars"] for event in board.Scalars(tag)}
        for tag in ("new_style", "double"):
            for event in board.Tensors(tag):
                values = event.tensor_proto.double_val or event.tensor_proto.float_val
                expected[tag, event.step] = values[0]
        in_first_folder = {key: value for key, value in read.items() if "/" not in key[0]}
        self.assertEqual(in_first_folder, expected)


if __name__ == "__main__":
    unittest.main()
