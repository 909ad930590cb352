"""The loops of a training, as iterators that write events."""

import contextlib
import time

from ._writer import WRITER, warn

_monotonic_ns = time.monotonic_ns


class _Training:
    """Where the training of this process is."""

    def __init__(self):
        self.begun = False
        self.epoch = None  # the one that runs; None between two
        self.next_epoch = 0  # for loops that do not number them
        self.steps_done = 0  # of this epoch
        self.whole_loader = False  # a tracked loader came to its end in this epoch
        self.by_epochs = False  # epochs() begins and ends them, not track()
        self.steps_follow = False  # a tracked loader is iterated: its next step is written soon

    def begin(self, epochs=None, steps=None):
        if not self.begun:
            self.begun, self.next_epoch = True, 0
            WRITER.write("train_begin", epochs=epochs, steps=steps)

    def begin_epoch(self, epoch, epochs=None, steps=None):
        self.epoch, self.steps_done, self.whole_loader = epoch, 0, False
        WRITER.write("epoch_begin", epoch=epoch, epochs=epochs, steps=steps)

    def end_epoch(self, epochs=None, samples=None):
        epoch, self.epoch = self.epoch, None
        self.next_epoch = epoch + 1
        WRITER.write("epoch_end", epoch=epoch, epochs=epochs, step=self.steps_done or None, samples=samples)

    def last_epoch(self):
        """The epoch that runs, else the one that has just ended; None before the first."""
        if self.epoch is not None:
            return self.epoch
        return self.next_epoch - 1 if self.next_epoch > 0 else None

    def end(self):
        self.begun, self.epoch = False, None
        WRITER.write("train_end")


TRAINING = _Training()


def epochs(count, start=0):
    """Iterates the numbers of the epochs, like range(start, count), and writes where each begins and ends.

    The epoch in which the loop is left by `break` counts only if its tracked loader came to its end.
    """
    if not WRITER.enabled:
        return range(start, count)
    return _epochs(count, start)


def _epochs(count, start):
    training = TRAINING
    training.begin(epochs=count)
    training.by_epochs = True
    try:
        for epoch in range(start, count):
            training.begin_epoch(epoch, count)
            yield epoch
            training.end_epoch(count)
        training.end()
    finally:
        if training.epoch is not None and training.whole_loader:
            training.end_epoch(count)
        training.by_epochs = False


class _Tracked:
    """The loader, with events written while it is iterated. Whatever else is asked for is the loader's own."""

    def __init__(self, loader, epoch, epochs, samples):
        self._loader, self._epoch, self._epochs, self._samples = loader, epoch, epochs, samples

    def __len__(self):
        return len(self._loader)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._loader, name)

    def __iter__(self):
        training, writer = TRAINING, WRITER
        steps = _length(self._loader)
        own_epoch = not training.by_epochs
        if own_epoch:
            training.begin(self._epochs, steps)
            training.begin_epoch(training.next_epoch if self._epoch is None else self._epoch, self._epochs, steps)
        epoch, done = training.epoch, training.steps_done
        training.steps_follow = True
        try:
            for batch in self._loader:
                yield batch
                done += 1
                now_ns = _monotonic_ns()
                if now_ns >= writer.next_step_ns:
                    writer.write("step", now_ns, epoch=epoch, step=done, steps=steps)
        finally:
            training.steps_follow = False
        training.steps_done, training.whole_loader = done, True
        if own_epoch:
            training.end_epoch(self._epochs, self._samples)
            if self._epochs is not None and epoch + 1 == self._epochs:
                training.end()


def _length(loader):
    try:
        return len(loader)
    except Exception:  # an iterable without length
        return None


def track(loader, epoch=None, epochs=None, samples=None):
    """Iterates the batches of the training loader, and writes the steps as they are done.

    Outside of epochs() each whole pass is an epoch: number `epoch` (from 0; default: counted) of `epochs`.
    `samples`: number of samples of one pass.
    """
    if not WRITER.enabled:
        return loader
    return _Tracked(loader, epoch, epochs, samples)


def log(**values):
    """Records metrics by name. Within an epoch, of several values in 0.1 s the last one counts."""
    if not WRITER.enabled:
        return
    try:
        WRITER.keep(values)
        if TRAINING.steps_follow:
            return
        now_ns = _monotonic_ns()
        if TRAINING.epoch is None or now_ns >= WRITER.next_step_ns:
            WRITER.write("metrics", now_ns, epoch=TRAINING.last_epoch())
    except Exception as error:
        warn("log", "log: {}".format(error))


@contextlib.contextmanager
def evaluation():
    """`with epochcast.evaluation():` around an evaluation, whose time then is not part of the training's."""
    WRITER.write("evaluate_begin", epoch=TRAINING.last_epoch())
    try:
        yield
    finally:
        WRITER.write("evaluate_end", epoch=TRAINING.last_epoch())
