"""trainer = Trainer(..., callbacks=[epochcast.lightning.EpochcastCallback()])

The training stops after the step in which the signal before the time limit was seen, or after an epoch if the next one would
not end in time; a ModelCheckpoint with save_last=True then saves it.
"""

import sys

if "lightning" not in sys.modules and "pytorch_lightning" in sys.modules:
    from pytorch_lightning.callbacks import Callback
else:
    try:
        from lightning.pytorch.callbacks import Callback
    except ImportError:
        from pytorch_lightning.callbacks import Callback

from . import _stop
from ._loop import TRAINING
from ._writer import WRITER

_STEPS_BETWEEN_AGREEMENTS = 10  # with several ranks: asking all of them costs a message


def _counted(number):
    """A number of steps or epochs; None for Lightning's -1 and infinity."""
    return int(number) if number is not None and 0 < number < float("inf") else None


class EpochcastCallback(Callback):
    def __init__(self, stop=True):
        self._stop = stop

    def on_train_start(self, trainer, pl_module):
        TRAINING.begin(epochs=_counted(trainer.max_epochs))

    def on_train_epoch_start(self, trainer, pl_module):
        TRAINING.begin_epoch(trainer.current_epoch, _counted(trainer.max_epochs), _counted(trainer.num_training_batches))

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        TRAINING.steps_done = batch_idx + 1
        WRITER.step_if_due(
            epoch=TRAINING.epoch, step=batch_idx + 1, steps=_counted(trainer.num_training_batches)
        )
        self._stop_if(batch_idx % _STEPS_BETWEEN_AGREEMENTS == 0, trainer)

    def _stop_if(self, is_asked, trainer):
        if self._stop and _stop.watched and self._agreed_stop(is_asked, trainer):
            trainer.should_stop = True

    @staticmethod
    def _agreed_stop(is_asked, trainer):
        # Lightning itself handles SIGUSR1 where Slurm sends it, so only the file is looked at.
        own = _stop.should_stop(handle_signal=False)
        if trainer.world_size == 1:
            return own
        if not is_asked:
            return False
        return trainer.strategy.reduce_boolean_decision(own, all=False)

    def on_validation_start(self, trainer, pl_module):
        if TRAINING.begun and not trainer.sanity_checking:
            WRITER.write("evaluate_begin", epoch=TRAINING.last_epoch())

    def on_validation_end(self, trainer, pl_module):
        if TRAINING.begun and not trainer.sanity_checking:
            WRITER.write("evaluate_end", epoch=TRAINING.last_epoch())

    def on_train_epoch_end(self, trainer, pl_module):
        WRITER.keep(trainer.callback_metrics)
        expected = _counted(trainer.num_training_batches)
        whole = trainer.is_last_batch if expected is None else TRAINING.steps_done == expected
        if whole:  # it also ends where max_steps or a callback ends it
            TRAINING.end_epoch(_counted(trainer.max_epochs))
        self._stop_if(True, trainer)

    def on_train_end(self, trainer, pl_module):
        if not _stop.should_stop(handle_signal=False):
            TRAINING.end()
