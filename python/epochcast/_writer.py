"""Writes the events: JSON lines, appended to the file that EPOCHCAST_EVENTS names."""

import json
import math
import os
import sys
import threading
import time

from . import _ranks

INTERVAL_NS = 100_000_000  # steps and logged values are written at most this often
_MOST_NAMES = 256  # values of so many names wait for the next line

_warned = set()


def warn(kind, message):
    """One line on stderr for each kind; warnings.warn would raise with `python -W error`."""
    if kind in _warned:
        return
    _warned.add(kind)
    try:
        sys.stderr.write("epochcast: warning: {}\n".format(message))
    except Exception:  # stderr is closed
        pass


def _number(value):
    """A number that JSON can hold; NaN and infinity as texts. Raises for what is no number."""
    if isinstance(value, int):  # also True
        return int(value)
    value = float(value)
    return value if math.isfinite(value) else str(value)


class Writer:
    """One of a process. Each method takes what it does not know as None, and never raises."""

    def __init__(self, path):
        self.path = os.path.abspath(path) if path else None  # the program may change its folder
        self.enabled = bool(path)
        self.next_step_ns = 0  # before this time, step() would write nothing
        self._started = False
        self._file = None
        self._cut_off = False  # the last line in the file may be half a line
        self._pending = {}
        self._lock = threading.Lock()

    def _start(self):
        self._started = True
        self._rank = _ranks.rank()
        self._pid = os.getpid()
        if self._rank not in (None, 0):
            self.enabled = False

    def after_fork(self):
        """In a child: what trains goes on writing; workers that load data do not."""
        self._lock = threading.Lock()
        if self._started:
            self.enabled = False
            self._pending = {}

    def write(self, event, now_ns=None, **fields):
        """Appends an event, and with it the values that wait."""
        try:
            if not self.enabled:
                return
            if not self._started:
                self._start()
                if not self.enabled:
                    return
            now_ns = now_ns or time.monotonic_ns()
            with self._lock:
                self._append(self._line(event, now_ns, fields))
            self.next_step_ns = now_ns + INTERVAL_NS
        except Exception as error:
            warn("write", "{}: {}; events are missing in the record".format(self.path, error))

    def step_if_due(self, **fields):
        now_ns = time.monotonic_ns()
        if now_ns >= self.next_step_ns:
            self.write("step", now_ns, **fields)

    def keep(self, values):
        """Values for the next line that is written. Of several values of a name the last one counts."""
        pending = self._pending
        for name, value in values.items():
            if len(pending) < _MOST_NAMES or name in pending:
                if type(value) is not float and hasattr(value, "detach"):
                    value = value.detach()  # read when the line is written: until then, its device goes on computing
                pending[name] = value
            else:
                warn("names", "more than {} values before one step ended: the rest is left out".format(_MOST_NAMES))

    def _line(self, event, now_ns, fields):
        line = {"event": event}
        line.update((name, value) for name, value in fields.items() if value is not None)
        line["time_ns"] = now_ns
        line["pid"] = self._pid
        if self._rank is not None:
            line["rank"] = self._rank
        if self._pending:
            waiting, self._pending = self._pending, {}
            metrics = {}
            for name, value in waiting.items():
                try:
                    metrics[str(name)] = _number(value)
                except Exception:
                    warn("value", "'{}' is no number: {}".format(name, type(value).__name__))
            if metrics:
                line["metrics"] = metrics
        return json.dumps(line, separators=(",", ":")) + "\n"

    def _append(self, line):
        if self._file is None:
            # A pipe that nobody reads must not stop the training.
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
            self._file = os.open(self.path, flags, 0o666)
        data = (("\n" if self._cut_off else "") + line).encode("ascii")
        self._cut_off = True
        while data:
            data = data[os.write(self._file, data) :]
        self._cut_off = False


WRITER = Writer(os.environ.get("EPOCHCAST_EVENTS"))
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: WRITER.after_fork())
