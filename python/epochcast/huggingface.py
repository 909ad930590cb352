"""trainer = Trainer(..., callbacks=[epochcast.huggingface.EpochcastCallback()])

The training is saved and stopped when the signal before the time limit came, or after an epoch if the next one would not end
in time.
"""

import math
import sys
import time

from transformers import TrainerCallback

from ._loop import TRAINING
from ._stop import should_stop
from ._writer import WRITER, warn

_STEPS_BETWEEN_AGREEMENTS = 10  # with several ranks: asking all of them costs a message


class EpochcastCallback(TrainerCallback):
    def __init__(self, stop=True):
        self._stop = stop
        self._first_step = 0  # of this epoch, in steps of the run
        self._evaluates = False
        self._before_ns = None  # an evaluation is told with the end of its first batch: it began after the event before that

    def on_train_begin(self, args, state, control, **kwargs):
        TRAINING.begin(epochs=math.ceil(state.num_train_epochs))

    def on_epoch_begin(self, args, state, control, **kwargs):
        self._first_step = state.global_step
        TRAINING.begin_epoch(round(state.epoch or 0), math.ceil(state.num_train_epochs))

    def on_step_end(self, args, state, control, **kwargs):
        TRAINING.steps_done = state.global_step - self._first_step
        WRITER.step_if_due(epoch=TRAINING.epoch, step=TRAINING.steps_done)
        self._stop_if(state.global_step % _STEPS_BETWEEN_AGREEMENTS == 0, args, control)
        self._before_ns = time.monotonic_ns()

    def _stop_if(self, is_asked, args, control):
        if self._stop and _agreed_stop(is_asked, args):
            control.should_training_stop = True
            control.should_save = True

    def on_epoch_end(self, args, state, control, **kwargs):
        whole = abs(state.epoch - round(state.epoch)) < 1e-6  # it also ends where max_steps ends it
        if TRAINING.epoch is not None and whole:
            TRAINING.end_epoch(math.ceil(state.num_train_epochs))
        self._stop_if(True, args, control)
        self._before_ns = time.monotonic_ns()

    def on_prediction_step(self, args, state, control, **kwargs):
        if not self._evaluates:
            self._evaluates = True
            WRITER.write("evaluate_begin", self._before_ns, epoch=TRAINING.last_epoch())

    def on_evaluate(self, args, state, control, **kwargs):
        if self._evaluates:
            self._evaluates = False
            WRITER.write("evaluate_end", epoch=TRAINING.last_epoch())
            self._before_ns = time.monotonic_ns()  # of the next set of data

    def on_log(self, args, state, control, logs=None, **kwargs):
        values = {name: value for name, value in (logs or {}).items() if name not in ("epoch", "total_flos")}
        WRITER.keep(values)
        WRITER.write("metrics", epoch=TRAINING.last_epoch(), step=TRAINING.steps_done or None)
        if not self._evaluates:
            self._before_ns = time.monotonic_ns()

    def on_train_end(self, args, state, control, **kwargs):
        self._before_ns = None
        if not (self._stop and should_stop()):
            TRAINING.end()


def _agreed_stop(is_asked, args):
    """The same answer on all ranks: one that goes on alone would wait for the others for ever. `is_asked`: whether they ask now."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return should_stop()
    own = should_stop()
    if not is_asked or not _watched():
        return False
    import torch

    try:
        flag = torch.tensor([int(own)], device=args.device)
        distributed.all_reduce(flag, op=distributed.ReduceOp.MAX)
        return bool(flag.item())
    except Exception as error:
        warn("agree", "should_stop: {}".format(error))
        return False


def _watched():
    from . import _stop

    return _stop.watched
