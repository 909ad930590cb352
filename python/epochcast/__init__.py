"""Tells epochcast-run about the epochs, steps and metrics of a training, and reads its records.

    import epochcast

    for epoch in epochcast.epochs(10):
        for batch in epochcast.track(loader):
            loss = train(batch)
            epochcast.log(loss=loss)
            if epochcast.should_stop():  # soon the time limit comes
                save_checkpoint()
                raise SystemExit(0)

Callbacks of frameworks: epochcast.huggingface, epochcast.lightning, epochcast.keras.

Without the variable EPOCHCAST_EVENTS, which epochcast-run sets, nothing is written. No function raises an exception
of its own into the training: a full disk gives one warning.

In a notebook (needs pandas and the programs):

    import epochcast as ec

    ec.read("records").epochs
    ec.table("lab", "records")
    ec.predict("records/pilot.h5", epochs=90)
    ec.plot("lab", "records")
    ec.to_wandb("records")
    ec.to_mlflow("records")
"""

from epochcast._loop import epochs, evaluation, log, track
from epochcast._notebook import Error, Picture, Records, plot, predict, read, table
from epochcast._stop import should_stop
from epochcast._trackers import to_mlflow, to_wandb

__all__ = [
    "Error", "Picture", "Records", "epochs", "evaluation", "log", "plot", "predict", "read", "should_stop", "table", "to_mlflow",
    "to_wandb", "track"]
__version__ = "0.1.0"
