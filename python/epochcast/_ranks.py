"""Which of several processes this one is: only rank 0 writes events."""

import os
import sys


def _number(name):
    try:
        return int(os.environ[name])
    except (KeyError, ValueError):
        return None


def rank():
    """The rank of this process; None where nothing says so.

    RANK (torchrun, accelerate) and torch.distributed know best. Of the rest, the largest counts: a child that
    Lightning starts has LOCAL_RANK=1, and SLURM_PROCID=0 of its parent.
    """
    if _number("RANK") is not None:
        return _number("RANK")
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return distributed.get_rank()
    except Exception:  # another version of it, or a half-imported one
        pass
    names = ("SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "LOCAL_RANK")
    known = [number for number in map(_number, names) if number is not None]
    return max(known) if known else None
