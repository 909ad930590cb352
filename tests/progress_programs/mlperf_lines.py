"""The lines of an MLPerf training (see README.md)."""
import json
import time

import truth

options = truth.arguments()


def event(key, value=None, **metadata):
    kind = "INTERVAL_START" if key.endswith("_start") else "INTERVAL_END" if key.endswith("_stop") else "POINT_IN_TIME"
    print(":::MLLOG " + json.dumps({"namespace": "", "time_ms": int(time.time() * 1000), "event_type": kind, "key": key,
                                    "value": value, "metadata": {"file": "train.py", "lineno": 1, **metadata}}), flush=True)


event("submission_benchmark", "resnet")
event("init_start")
time.sleep(options.step_s)
event("init_stop")
event("run_start")
for epoch in range(1, options.epochs + 1):
    event("epoch_start", epoch_num=epoch)
    time.sleep(10 * options.step_s)
    event("epoch_stop", epoch_num=epoch)
    event("eval_start", epoch_num=epoch)
    time.sleep(2 * options.step_s)
    event("eval_accuracy", 0.5 + epoch / 100, epoch_num=epoch)
    event("eval_stop", epoch_num=epoch)
    truth.epoch({"eval_accuracy": 0.5 + epoch / 100})
event("run_stop", status="success")
