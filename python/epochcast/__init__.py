"""Tells epochcast-run about the epochs, steps and metrics of a training.

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
"""

from epochcast._loop import epochs, evaluation, log, track
from epochcast._stop import should_stop

__all__ = ["epochs", "evaluation", "log", "should_stop", "track"]
__version__ = "0.1.0"
