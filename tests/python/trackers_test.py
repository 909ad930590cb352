#!/usr/bin/env python3
"""Records to trackers and back, with the real packages: what epochcast.to_mlflow and to_wandb write, what TensorBoard and trackio read
of an export, what `wandb sync` sends to a stand-in of the server, and what `import` and `epochcast-run --metrics` read of runs that MLflow or
wandb (offline) wrote. Environment: EPOCHCAST_BINARY_DIR."""

import csv
import datetime
import glob
import gzip
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ANALYZE = os.path.join(os.environ["EPOCHCAST_BINARY_DIR"], "epochcast-analyze")
RUN = os.path.join(os.environ["EPOCHCAST_BINARY_DIR"], "epochcast-run")
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # MLflow 3 asks for it
os.environ["PATH"] = os.environ["EPOCHCAST_BINARY_DIR"] + os.pathsep + os.environ["PATH"]
os.environ["PYTHONPATH"] = os.pathsep.join([os.path.join(ROOT, "python"), os.environ.get("PYTHONPATH", "")])

# Three epochs of 4 steps, by each tracker in the way of its documents. FOLDER is argv[1].
LOGS_TO_MLFLOW = """
import sys, time, mlflow
mlflow.set_tracking_uri("file:" + sys.argv[1])
with mlflow.start_run(run_name="real"):
    time.sleep(0.5)  # before the first epoch, which begins with the run
    mlflow.log_params({"lr": 0.1, "batch": 64})
    for epoch in range(3):
        for i in range(4):
            time.sleep(0.02)
            mlflow.log_metrics({"train/loss": 1 / (4 * epoch + i + 1), "epoch": epoch}, step=4 * epoch + i)
"""
LOGS_TO_WANDB = """
import os, sys, time, wandb
os.environ["WANDB_MODE"] = "offline"
run = wandb.init(project="real", dir=sys.argv[1], config={"lr": 0.1}, settings=wandb.Settings(silent=True))
time.sleep(0.5)
for epoch in range(3):
    for i in range(4):
        time.sleep(0.02)
        run.log({"train/loss": 1 / (4 * epoch + i + 1), "epoch": epoch})
run.finish()
"""


class WandbServer(http.server.BaseHTTPRequestHandler):
    """What `wandb sync` asks of its server, as far as it goes on; `runs` has what it sent."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
        answer = self.answer(json.loads(body)) if self.path == "/graphql" else self.take(body)
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_PUT = do_POST

    def take(self, body):
        if self.path.endswith("/file_stream"):
            run = self.path.split("/")[-2]
            lines = json.loads(body).get("files", {}).get("wandb-history.jsonl", {}).get("content", [])
            self.server.runs[run]["history"] += [json.loads(line) for line in lines]
        return {}

    def answer(self, request):
        asked = request.get("variables", {})
        if "upsertBucket" in request["query"]:
            self.server.runs.setdefault(asked["name"], {"history": [], **asked})
            project = {"id": "p", "name": asked["project"], "entity": {"id": "e", "name": "me"}}
            bucket = {"id": "b", "name": asked["name"], "displayName": asked["displayName"], "config": "{}", "project": project}
            return {"data": {"upsertBucket": {"bucket": bucket, "inserted": True}}}
        if "createRunFiles" in request["query"]:
            place = "http://127.0.0.1:{}/upload/".format(self.server.server_port)
            files = [{"name": name, "uploadUrl": place + name} for name in asked["files"]]
            return {"data": {"createRunFiles": {"runID": "b", "uploadHeaders": [], "files": files}}}
        if "viewer" in request["query"].lower():
            return {"data": {"viewer": {"id": "u", "entity": "me", "flags": "{}", "username": "me", "teams": {"edges": []}}}}
        return {"data": {}}

    def log_message(self, *words):
        pass


class TrackersTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {**os.environ, "HOME": self.folder}

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def words(self, *words):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", env=self.environment, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def rows(self, records, table):
        self.words(ANALYZE, "export", "tables", records, "-o", self.path("tables"))
        with open(self.path("tables", table + ".csv")) as file:
            return list(csv.DictReader(file))

    def program(self, text, *more):
        with open(self.path("train.py"), "w") as file:
            file.write(text)
        return [sys.executable, self.path("train.py"), self.path("log"), *more]

    def to_mlflow(self, records, store):
        self.words(sys.executable, "-c", "import epochcast as ec; ec.to_mlflow({!r}, 'file:{}')".format(records, store))

    def to_wandb(self, records, folder):
        """The folders of offline runs."""
        os.makedirs(folder)
        self.words(sys.executable, "-c", "import epochcast as ec; ec.to_wandb({!r}, mode='offline', dir={!r})".format(records, folder))
        return sorted(glob.glob(os.path.join(folder, "wandb", "offline-run-*")))

    def lab(self):
        self.words(ANALYZE, "import", "published", "lab", "-o", self.path("lab"))
        return self.path("lab")

    def test_mlflow_has_what_is_written(self):
        from mlflow.tracking import MlflowClient

        records = self.lab()
        self.to_mlflow(records, self.path("mlruns"))
        client = MlflowClient("file:" + self.path("mlruns"))
        experiment = client.get_experiment_by_name("lab")
        runs = {run.info.run_name: run for run in client.search_runs([experiment.experiment_id])}
        self.assertEqual(len(runs), 8)
        run = runs["lab.v100.e20"]
        self.assertEqual(run.info.status, "FINISHED")
        self.assertEqual(run.data.params["batch"], "256")
        self.assertEqual(run.data.tags["epochcast.source"], "published")
        (loss,) = client.get_metric_history(run.info.run_id, "loss_d")
        self.assertEqual(loss.value, 0.171)
        self.assertEqual(loss.timestamp - run.info.start_time, 27300)
        self.to_mlflow(records, self.path("mlruns"))  # again: the same runs
        self.assertEqual(len(client.search_runs([experiment.experiment_id])), 8)

    def test_tensorboard_reads_the_export(self):
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        self.words(ANALYZE, "export", "tensorboard", self.lab(), "-o", self.path("runs"))
        events = EventAccumulator(self.path("runs", "lab.t4.e20-published"))
        events.Reload()
        self.assertEqual({"epoch", "wall_s", "loss_d", "loss_g"} - set(events.Tags()["scalars"]), set())
        (loss,) = events.Scalars("loss_g")
        self.assertAlmostEqual(loss.value, 8.59, places=5)

    def test_trackio_imports_the_export(self):
        self.environment["TRACKIO_DIR"] = self.path("trackio")
        self.words(ANALYZE, "export", "tensorboard", self.lab(), "-o", self.path("runs"))
        program = """
import json, sys, trackio
from trackio.sqlite_storage import SQLiteStorage
trackio.import_tf_events(sys.argv[1], project="lab")
print(json.dumps({run.name: SQLiteStorage.get_logs("lab", run.name) for run in trackio.Api().runs("lab")}))
"""
        runs = json.loads(self.words(*self.program(program)[:2], self.path("runs")).splitlines()[-1])
        self.assertEqual(len(runs), 4)  # those of one epoch were published without values
        logs = runs["lab.v100.e20-published"]
        values = {name: value for log in logs for name, value in log.items() if name not in ("step", "timestamp")}
        self.assertAlmostEqual(values["loss_d"], 0.171, places=5)
        self.assertEqual((values["epoch"], values["wall_s"]), (19, 27.299999237060547))

    def test_wandb_syncs_what_is_written(self):
        runs = self.to_wandb(self.lab(), self.path("offline"))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), WandbServer) as server:
            server.runs = {}
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.environment.update(WANDB_BASE_URL="http://127.0.0.1:{}".format(server.server_port), WANDB_API_KEY="a" * 40)
            printed = self.words(sys.executable, "-m", "wandb", "sync", "--yes", *runs)
            server.shutdown()
        self.assertEqual(printed.count("Finished syncing"), 8, printed)
        (run,) = [run for run in server.runs.values() if run["displayName"] == "lab.v100.e20"]
        self.assertEqual((run["project"], run["groupName"]), ("lab", "v100"))
        self.assertEqual(json.loads(run["config"])["batch"]["value"], 256)
        (line,) = run["history"]
        self.assertEqual((line["epoch"], line["loss_d"], line["wall_s"]), (19, 0.171, 27.3))

    def test_a_record_comes_back_from_each_tracker(self):
        self.words(RUN, "--records", self.path("own"), "--point", "p", "--metrics", self.path("log"), "--", *self.program(LOGS_TO_MLFLOW))
        own = self.rows(self.path("own"), "epochs")
        self.assertEqual([row["epoch"] for row in own], ["0", "1", "2"])
        for tracker in ("mlflow", "tensorboard", "wandb"):
            store = self.path("store_" + tracker)
            if tracker == "mlflow":
                self.to_mlflow(self.path("own"), store)
                run = os.path.dirname(glob.glob(store + "/*/*/meta.yaml")[0])
            elif tracker == "wandb":
                (run,) = self.to_wandb(self.path("own"), store)
            else:
                self.words(ANALYZE, "export", tracker, self.path("own"), "-o", store)
                (run,) = glob.glob(store + "/*")
            self.words(ANALYZE, "import", tracker, run, "-o", self.path("back_" + tracker))
            back = self.rows(self.path("back_" + tracker), "epochs")
            self.assertEqual([row["iterations"] for row in back], [row["iterations"] for row in own], tracker)
            self.assertEqual(back[0]["source"], "imported:" + tracker)

    def starts_with_the_run(self, record, epochs):
        """0.5 s pass before the first epoch; a step takes 0.02 s."""
        self.assertGreater(float(epochs[0]["wall_s"]), 0.5 + float(epochs[1]["wall_s"]) / 2)
        started = datetime.datetime.fromisoformat(record["created_at"])
        self.assertLess(abs((datetime.datetime.now(datetime.timezone.utc) - started).total_seconds()), 600)

    def test_a_store_of_mlflow_is_imported_with_a_record_for_each_run(self):
        for _ in range(2):
            self.words(*self.program(LOGS_TO_MLFLOW))
        self.words(ANALYZE, "import", "mlflow", self.path("log"), "-o", self.path("records"))
        records = self.rows(self.path("records"), "runs")
        self.assertEqual([record["parameter.lr"] for record in records], ["0.1", "0.1"])
        self.assertEqual(len(self.rows(self.path("records"), "epochs")), 6)
        self.starts_with_the_run(records[0], self.rows(self.path("records"), "epochs"))

    def test_a_folder_of_wandb_is_imported_with_a_record_for_each_run(self):
        for _ in range(2):
            self.words(*self.program(LOGS_TO_WANDB))
        self.words(ANALYZE, "import", "wandb", self.path("log"), "-o", self.path("records"))
        records = self.rows(self.path("records"), "runs")
        self.assertEqual(len(records), 2)
        self.assertEqual(len(self.rows(self.path("records"), "epochs")), 6)
        self.starts_with_the_run(records[0], self.rows(self.path("records"), "epochs"))

    def test_a_run_of_mlflow_is_imported_with_its_parameters(self):
        self.words(*self.program(LOGS_TO_MLFLOW))
        run = os.path.dirname(glob.glob(self.path("log", "*", "*", "meta.yaml"))[0])
        self.words(ANALYZE, "import", "mlflow", run, "-o", self.path("records"))
        epochs = self.rows(self.path("records"), "epochs")
        self.assertEqual([row["iterations"] for row in epochs], ["4", "4", "4"])
        (record,) = self.rows(self.path("records"), "runs")
        self.assertEqual((record["parameter.lr"], record["parameter.batch"]), ("0.1", "64"))
        self.assertAlmostEqual(float(record["last.train/loss"]), 1 / 12)

    def test_an_offline_run_of_wandb_is_imported_and_followed(self):
        self.words(RUN, "--records", self.path("followed"), "--point", "p", "--metrics", self.path("log"), "--", *self.program(LOGS_TO_WANDB))
        (log,) = glob.glob(self.path("log", "wandb", "offline-run-*"))
        self.words(ANALYZE, "import", "wandb", log, "-o", self.path("records"))
        for records in ("followed", "records"):
            epochs = self.rows(self.path(records), "epochs")
            self.assertEqual([row["iterations"] for row in epochs], ["4", "4", "4"], records)
            (record,) = self.rows(self.path(records), "runs")
            self.assertAlmostEqual(float(record["last.train/loss"]), 1 / 12)


if __name__ == "__main__":
    unittest.main()
