"""Loops of PyTorch that a program writes itself, seen from passes over a DataLoader and steps of optimizers.

A whole pass in which an optimizer stepped is an epoch; a pass without a step is an evaluation. Where that is in doubt, nothing is
counted, and a note says why. An epoch is written once the next one begins, or at the end of the program: only then it is known
that no steps follow from a loader that is kept in memory, and which evaluations belong to it.
"""

import atexit
import collections
import os
import sys
import time
import weakref

from ._hook import guarded, note
from ._loop import TRAINING
from ._writer import WRITER

_now_ns = time.monotonic_ns


class _Pass:
    """One iteration of a loader, from the making of its iterator on."""

    def __init__(self, iterator, begin_ns):
        self.begin_ns, self.last_ns = begin_ns, begin_ns  # last_ns: of its last step or batch
        self.batches, self.steps, self.is_new, self.epoch = 0, 0, False, 0
        self.ends_unseen = False  # its end was seen before its last step, or not at all
        self.length, self.data = _length(iterator), id(iterator._dataset)
        self.iterator = weakref.ref(iterator, lambda _: _leave(self))

    def is_whole(self):
        """All batches were taken. Whether there are more is not always asked."""
        return self.length is not None and self.batches >= self.length


def _length(iterator):
    try:
        return len(iterator)
    except Exception:  # a data set without length
        return None


class _Passes:
    def __init__(self):
        self.open = []  # passes that have not ended, in the order of their begins
        self.training = None  # the one of them with steps
        self.held = None  # the training pass that ended last, while its epoch is not written
        self.strays = 0  # steps since then
        self.after = []  # evaluations since then
        self.usual = None  # after each epoch so far, by data set: the most evaluations
        self.done = 0  # epochs
        self.loose = 0  # steps without any pass before them
        self.begun = 0  # passes, while no optimizer stepped and no framework trained
        self.is_watched = False  # to the end of the program
        self.optimizers = set()
        self.stepped_ns = 0
        self.written_ns = 0
        self.refused = False
        self.forked = False  # by a training
        self.trials = 0  # in progress, of a learning rate or a batch size

    def is_off(self):
        return self.refused or self.trials or TRAINING.begun  # a framework tells its epochs itself

    def after_fork(self):
        """In a child: one that trains is watched; one of a training has no part in it."""
        begun = self.refused or self.training is not None or self.held is not None or self.done
        self.__init__()
        self.refused = self.forked = bool(begun)

    def begin(self, iterator, begin_ns):
        if self.forked:
            self.tell_fork()
        if self.is_off():
            return None
        self.watch_end()
        self.begun += not self.optimizers
        for one in [one for one in self.open if one.is_whole()]:  # whoever counts batches does not ask for another
            one.ends_unseen = True
            self.end(one, one.last_ns)
        self.open.append(_Pass(iterator, begin_ns))
        return self.open[-1]

    def watch_end(self):
        if not self.is_watched:
            self.is_watched = True
            _at_exit(self.exit)

    def tell_fork(self):
        self.forked = False
        WRITER.enabled = True
        note("--hook: a process that the training forked iterates a DataLoader: an evaluation there is in no epoch")
        WRITER.enabled = False

    def stepped(self, optimizer):
        """After each step of any optimizer."""
        if self.is_off():
            return
        self.watch_end()
        self.optimizers.add(id(optimizer))
        self.stepped_ns = now_ns = _now_ns()
        taken = [one for one in self.open if one.is_new]
        for one in taken:
            one.is_new = False
        if self.training is None:
            if not taken:
                self.stray()
                return
            self.begin_epoch(taken[-1])
        elif taken and (len(taken) > 1 or taken[0] is not self.training):
            self.refuse("two loaders are iterated at once")
            return
        one = self.training
        one.steps += 1
        one.last_ns = now_ns
        if now_ns >= WRITER.next_step_ns:
            self.write("step", now_ns, epoch=one.epoch, step=one.batches, steps=one.length)

    def begin_epoch(self, one):
        if self.done == 0 and self.held is None:
            self.write("train_begin", one.begin_ns)
        self.write_held()
        self.training, one.epoch = one, self.done
        self.write("epoch_begin", one.begin_ns, epoch=one.epoch, steps=one.length)

    def stray(self):
        """A step outside of a pass: the rest of an accumulation, or of a loader that is one batch ahead."""
        if self.held is None:
            self.loose += 1
            return
        self.strays += 1
        self.held.last_ns, self.held.ends_unseen = self.stepped_ns, True
        if self.strays > 2 * len(self.optimizers):
            self.refuse("steps go on after a pass over a DataLoader: it is kept and repeated, or the batches come from elsewhere")

    def exhausted(self, one):
        if one in self.open:
            self.end(one, _now_ns())

    def leave(self, one):
        """Its iterator is gone, or begins again, before it said that there are no more batches."""
        if one not in self.open:
            return
        if one.steps == 0 or one.is_whole():
            self.end(one, one.last_ns if one.is_whole() else _now_ns())
            return
        self.open.remove(one)
        self.training = None
        why = "a pass over a DataLoader was left after {} of {} batches".format(one.batches, one.length)
        if self.done:
            self.refuse(why)
        elif not self.is_off():
            self.write("epoch_drop", _now_ns())
            note("--hook: " + why + ": no epoch")

    def end(self, one, at_ns):
        self.open.remove(one)
        if self.is_off():
            return
        if one.steps:
            self.training, self.held, self.strays = None, one, 0
            one.last_ns = at_ns
        elif one.begin_ns < self.stepped_ns:
            pass  # steps were done meanwhile: a loader that was asked for a batch now and then
        elif self.training is not None:
            self.write_evaluation(one.begin_ns, at_ns, self.training.epoch)
        elif self.held is not None:
            if self.held.ends_unseen and not self.after:
                self.held.last_ns = max(self.held.last_ns, one.begin_ns)
            self.after.append((one.begin_ns, at_ns, one.data))

    def write(self, event, at_ns, **fields):
        self.written_ns = max(self.written_ns, at_ns)
        WRITER.write(event, self.written_ns, **fields)

    def write_evaluation(self, begin_ns, end_ns, epoch):
        self.write("evaluate_begin", begin_ns, epoch=epoch)
        self.write("evaluate_end", end_ns, epoch=epoch)

    def write_held(self):
        """The epoch that has ended, with the evaluations after it."""
        one, self.held = self.held, None
        if one is None:
            return
        self.write("epoch_end", one.last_ns, epoch=one.epoch, step=one.batches)
        for begin_ns, end_ns, _ in self.after:
            self.write_evaluation(begin_ns, end_ns, one.epoch)
        self.usual = collections.Counter(data for _, _, data in self.after) | (self.usual or collections.Counter())
        self.after, self.done = [], one.epoch + 1

    def drop_last_evaluations(self):
        """Of those after the last epoch, what no epoch before had. Where there is one epoch only, all count to it."""
        left, self.after = self.after, []
        for one in left:
            if self.usual is None or sum(data == one[2] for _, _, data in self.after) < self.usual[one[2]]:
                self.after.append(one)
        if len(left) > len(self.after):
            note("--hook: an evaluation after the training is no part of the last epoch")

    def finish(self):
        """The program ends, or a framework begins to train."""
        for one in list(self.open):
            self.leave(one)
        self.open = []
        if self.is_off():
            return
        if self.held is not None:
            self.drop_last_evaluations()
            self.write_held()
            self.write("train_end", _now_ns())
        elif self.loose and not self.done:
            note("--hook: {} steps of optimizers, none in a pass over a DataLoader".format(self.loose))
        self.done, self.usual, self.loose = 0, None, 0

    def exit(self):
        self.finish()
        if self.begun > 0 and not self.optimizers and not self.refused:
            note("--hook: {} passes over a DataLoader, and no step of an optimizer: they were evaluations, or the step is inside "
                 "torch.compile, where it is not seen".format(self.begun))
        self.refused = True

    def refuse(self, why):
        if not self.is_off():
            self.write("epoch_drop", _now_ns())
            note("--hook: {}: no epochs {}".format(why, "after {}".format(self.done - 1) if self.done else "are counted"))
        self.refused, self.training, self.held, self.open = True, None, None, []


def _at_exit(function):
    atexit.register(guarded(function))
    pool = sys.modules.get("multiprocessing.util")
    if pool is not None:  # a child of multiprocessing ends without atexit
        pool.Finalize(None, guarded(function), exitpriority=0)


PASSES = _Passes()
os.register_at_fork(after_in_child=PASSES.after_fork)
_begin_training = TRAINING.begin


def _begin_after_passes(*args, **kwargs):
    """A framework begins to train. One before it that did not end has failed in an epoch."""
    guarded(PASSES.finish)()
    PASSES.begun = float("-inf")  # what follows is told by it, or is an evaluation
    if TRAINING.begun:
        WRITER.write("epoch_drop")
        TRAINING.end()
    _begin_training(*args, **kwargs)


TRAINING.begin = _begin_after_passes


def watch(iterator):
    """Watches the class of the DataLoader's iterators: what the program sees keeps its type."""
    make, following, reset = iterator.__init__, iterator.__next__, iterator._reset

    def __init__(self, *args, **kwargs):
        begin_ns = _now_ns()  # starting workers is part of the pass
        make(self, *args, **kwargs)
        self._epochcast = None
        self._epochcast_ns = begin_ns

    def __next__(self):
        one = self._epochcast
        if one is None:
            one = self._epochcast = _begin(self, self._epochcast_ns)
        try:
            batch = following(self)
        except StopIteration:
            self._epochcast = None
            if one is not None:
                _exhausted(one)
            raise
        if one is not None:
            one.batches += 1
            one.is_new = True
            one.last_ns = _now_ns()
        return batch

    def _reset(self, loader=None, first_iter=False):
        if not first_iter:  # workers that stay begin a new pass
            one, self._epochcast, self._epochcast_ns = self._epochcast, None, _now_ns()
            if one is not None:
                _leave(one)
        return reset(self, loader, first_iter)

    iterator.__init__, iterator.__next__, iterator._reset = __init__, __next__, _reset


_begin, _exhausted, _leave = guarded(PASSES.begin), guarded(PASSES.exhausted), guarded(PASSES.leave)
