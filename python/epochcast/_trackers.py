"""Records in trackers of experiments: Weights & Biases and MLflow, by their own libraries. A run there has the record's project,
point, parameters, header and metrics, and the same id whenever it is written."""

from __future__ import annotations

import hashlib
import importlib
import itertools
import json
import re
from types import SimpleNamespace
from typing import Any, Iterator

from epochcast._notebook import Error, Records, read


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Error("found no {0}, which epochcast.to_{0} writes with; to get it: pip install {0}".format(name)) from None


def _text(value: Any) -> str:
    return "" if value != value else str(value)


def _seconds(time: str) -> "float | None":
    import pandas

    return pandas.Timestamp(time).timestamp() if time else None


def _values(origin_s: float, epochs: "list[Any]", metrics: "list[Any]") -> "list[tuple[int, float, int, str, float]]":
    """(step, seconds since 1970, epoch, name, value) of each metric and of each epoch's wall_s, by step. Steps count over the run;
    where they were not counted, a step is an epoch."""
    ends, steps = {}, 0
    for epoch in epochs:
        ends[epoch["epoch"]] = (epoch, steps)
        steps += epoch["iterations"]
    values = []
    for metric in [{**epoch, "iteration": 0, "name": "wall_s", "value": epoch["wall_s"]} for epoch in epochs] + metrics:
        if metric["epoch"] not in ends:
            continue
        (epoch, before), iteration = ends[metric["epoch"]], metric["iteration"]
        step = before + (iteration or epoch["iterations"]) - 1 if iteration or steps else epoch["epoch"]
        after_s = epoch["wall_s"] + epoch["evaluate_s"]
        if 0 < iteration <= epoch["iterations"]:  # at the even pace of its steps
            after_s = epoch["wall_s"] * iteration / epoch["iterations"]
        values.append((int(step), origin_s + epoch["start_s"] + after_s, int(epoch["epoch"]), metric["name"], float(metric["value"])))
    return sorted(values, key=lambda value: value[0])


def _runs(records: Any) -> "Iterator[SimpleNamespace]":
    if not isinstance(records, Records):
        records = read(*(records if isinstance(records, (list, tuple)) else [records]))
    rows: "dict[str, Any]" = {"epochs": {}, "parameters": {}, "metrics": {}}
    for table, of in rows.items():
        for path, frame in getattr(records, table, records.runs[:0]).groupby("record"):
            of[path] = frame.to_dict("records")
    for run in records.runs.to_dict("records"):
        header = {name: _text(value) for name, value in run.items()}
        path = header["record"]
        parameters = {row["name"]: _text(row["value"]) for row in rows["parameters"].get(path, [])}
        origin_s = float(parameters["origin_ms"]) / 1000 if parameters.get("origin_ms") else _seconds(header["created_at"]) or 0.0
        yield SimpleNamespace(
            id=hashlib.sha256((header["created_at"] + path).encode()).hexdigest()[:32], project=header["experiment"] or "epochcast",
            header=header, parameters=parameters, start_s=origin_s, end_s=_seconds(header["finished_at"]),
            values=_values(origin_s, rows["epochs"].get(path, []), rows["metrics"].get(path, [])))


def _number(text: str) -> Any:
    try:
        return json.loads(text) if re.fullmatch(r"-?\d.*", text) else text
    except ValueError:
        return text


def to_wandb(records: Any, **init: Any) -> None:
    """Writes a run of Weights & Biases for each record.

    records: what `read` gave, or files and folders. init: further arguments of `wandb.init`, `mode="offline"`, `dir="runs"`.
    Values have the times of the record; the start of the run is that of writing, which wandb gives.
    """
    wandb = _library("wandb")
    for run in _runs(records):
        arguments = {
            "project": run.project, "id": run.id[:8], "name": run.header["point"], "group": run.header["allocation"],
            "notes": run.header["outcome_text"], "config": {name: _number(value) for name, value in run.parameters.items()},
            "reinit": "create_new", **init}
        logged = wandb.init(**arguments)
        for step, values in itertools.groupby(run.values, key=lambda value: value[0]):
            line = {"global_step": step}
            for _, at_s, epoch, name, value in values:
                line = {"_timestamp": at_s, "_runtime": at_s - run.start_s, "epoch": epoch, **line, name: value}
            logged.log(line, step=step)
        logged.finish(exit_code=0 if run.header["outcome"] == "complete" else 1)


def to_mlflow(records: Any, tracking_uri: "str | None" = None) -> None:
    """Writes a run of MLflow for each record, in place of one that was written of it before.

    records: what `read` gave, or files and folders. tracking_uri: the server or folder; without it that of `mlflow`.
    """
    mlflow = _library("mlflow")
    client = mlflow.MlflowClient(tracking_uri)
    statuses = {"running": "RUNNING", "complete": "FINISHED", "stopped": "KILLED"}
    for run in _runs(records):
        known = client.get_experiment_by_name(run.project)
        experiment = known.experiment_id if known else client.create_experiment(run.project)
        for before in client.search_runs([experiment], "tags.`epochcast.id` = '{}'".format(run.id)):
            client.delete_run(before.info.run_id)
        tags = {"epochcast." + name: text for name, text in run.header.items() if text and not name.startswith(("parameter.", "last."))}
        created = client.create_run(
            experiment, int(1000 * run.start_s), {**tags, "epochcast.id": run.id}, run.header["point"]).info.run_id
        metrics, last = [], None
        for step, at_s, epoch, name, value in run.values:
            for logged, number in [(name, value)] if step == last else [("epoch", epoch), (name, value)]:
                metrics.append(mlflow.entities.Metric(re.sub(r"[^\w\-. /]", "_", logged), number, round(1000 * at_s), step))
            last = step
        for start in range(0, len(metrics), 1000):  # the most that MLflow takes at once
            client.log_batch(created, metrics=metrics[start:start + 1000])
        params = [mlflow.entities.Param(re.sub(r"[^\w\-. /]", "_", name), value) for name, value in run.parameters.items()]
        for start in range(0, len(params), 100):
            client.log_batch(created, params=params[start:start + 100])
        status = statuses.get(run.header["outcome"], "FAILED")
        if status != "RUNNING":
            client.set_terminated(created, status, run.end_s and int(1000 * run.end_s))
