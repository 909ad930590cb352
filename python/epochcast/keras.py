"""model.fit(..., callbacks=[epochcast.keras.EpochcastCallback()])

The training stops when the signal before the time limit came, or after an epoch if the next one would not end in time; Keras's
BackupAndRestore goes on from its last epoch.
"""

try:
    from keras.callbacks import Callback
except ImportError:
    from tensorflow.keras.callbacks import Callback

from ._loop import TRAINING
from ._stop import should_stop
from ._writer import WRITER


class EpochcastCallback(Callback):
    def __init__(self, stop=True):
        super().__init__()
        self._stop = stop
        self._stopped = False

    def on_train_begin(self, logs=None):
        TRAINING.begin(epochs=self.params.get("epochs"))

    def on_epoch_begin(self, epoch, logs=None):
        TRAINING.begin_epoch(epoch, self.params.get("epochs"), self.params.get("steps"))

    def on_train_batch_end(self, batch, logs=None):
        TRAINING.steps_done = batch + 1
        WRITER.step_if_due(epoch=TRAINING.epoch, step=batch + 1, steps=self.params.get("steps"))
        if self._stop and should_stop():
            self._stopped = True
            self.model.stop_training = True

    def on_test_begin(self, logs=None):
        if TRAINING.epoch is not None:  # not an evaluate() of its own
            WRITER.write("evaluate_begin", epoch=TRAINING.epoch)

    def on_test_end(self, logs=None):
        if TRAINING.epoch is not None:
            WRITER.write("evaluate_end", epoch=TRAINING.epoch)

    def on_epoch_end(self, epoch, logs=None):
        WRITER.keep(logs or {})
        steps = self.params.get("steps")
        if not self._stopped or TRAINING.steps_done == steps:
            TRAINING.end_epoch(self.params.get("epochs"))
        if self._stop and should_stop():
            self._stopped = True
            self.model.stop_training = True

    def on_train_end(self, logs=None):
        if not self._stopped:
            TRAINING.end()
