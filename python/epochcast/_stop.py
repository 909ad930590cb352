"""Whether the job's time limit is near, or the next epoch would not end before it: epochcast-run makes a file, or the
process itself got the signal."""

import os
import signal
import threading
import time

from ._loop import TRAINING
from ._writer import warn

_LOOK_INTERVAL_NS = 500_000_000  # a look at a file on a network takes time

_file = os.environ.get("EPOCHCAST_STOP_FILE")
_file = os.path.abspath(_file) if _file else None
watched = bool(_file or os.environ.get("EPOCHCAST_EVENTS"))
_requested = False
_handles_signal = False
_next_look_ns = 0


def _handle_signal():
    """From here on SIGUSR1, which would end the process, is noted. A handler that is there is called as well."""
    global _handles_signal
    _handles_signal = True
    if threading.current_thread() is not threading.main_thread():
        return  # Python takes handlers in the main thread only
    former = signal.getsignal(signal.SIGUSR1)

    def handler(number, frame):
        global _requested
        _requested = True
        if callable(former):
            former(number, frame)

    signal.signal(signal.SIGUSR1, handler)


def _between_epochs():
    """Whether a tracked loader came to its end, and the next epoch has not begun."""
    return TRAINING.next_epoch > 0 if TRAINING.epoch is None else TRAINING.whole_loader


def should_stop(handle_signal=True):
    """True once the signal before the time limit came, and between two epochs if the next one would not end in time
    (epochcast-run --near-limit=epoch). False in a program that epochcast-run did not start."""
    global _requested, _next_look_ns
    if not watched or _requested:
        return _requested
    try:
        if handle_signal and not _handles_signal:
            _handle_signal()
        now_ns = time.monotonic_ns()
        if _file and _between_epochs():
            _requested = _requested or os.path.exists(_file + ".after_epoch") or os.path.exists(_file)
        elif _file and now_ns >= _next_look_ns:
            _next_look_ns = now_ns + _LOOK_INTERVAL_NS
            _requested = _requested or os.path.exists(_file)
    except Exception as error:
        warn("stop", "should_stop: {}".format(error))
    return _requested
