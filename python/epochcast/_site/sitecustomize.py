"""Loads the hook of `epochcast-run --hook` into a Python program, which finds this file by PYTHONPATH.

Then the program's own sitecustomize runs, if it has one. Any Python can read this file; the hook itself needs 3.8 or newer.
"""

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _here]  # as if nobody had added it
if sys.version_info >= (3, 8) and os.environ.get("EPOCHCAST_HOOK"):
    try:
        # A name of its own: a program may import its own epochcast, which writes to another file.
        _package = type(sys)("_epochcast_hook")
        _package.__path__ = [os.path.dirname(_here)]
        sys.modules["_epochcast_hook"] = _package
        from _epochcast_hook import _hook

        _hook.start(os.environ["EPOCHCAST_HOOK"])
    except Exception:  # the program goes on without the hook; epochcast-run says that nothing was written
        pass
sys.modules.pop("sitecustomize", None)
import sitecustomize  # noqa: E402, F401  what it raises, and that there is none, is told as without the hook
