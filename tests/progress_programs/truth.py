"""What a program knows about its own epochs, for the tests: JSON in the file that TRUTH names."""
import argparse
import json
import os
import time

START_S = time.monotonic()
EPOCHS = []
BEGIN = {}
FILE = os.path.abspath(os.environ["TRUTH"]) if "TRUTH" in os.environ else None


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--step-s", type=float, default=0.02)
    parser.add_argument("variant", nargs="?", default="")
    return parser.parse_args()


def keep(**account):
    if FILE:
        with open(FILE, "w") as file:
            json.dump({"epochs": EPOCHS, **account}, file)


def begin():
    """An epoch begins; needed only where it does not begin with the end of the one before."""
    BEGIN.update(begin_s=time.monotonic() - START_S)


def epoch(metrics):
    """Call it at the end of an epoch, with the numbers that the program reports for it."""
    EPOCHS.append({**BEGIN, "end_s": time.monotonic() - START_S, "metrics": metrics})
    BEGIN.clear()
    keep()


def run_steps(steps):
    """For a program that prints steps of the whole run and no epochs: how many it has done."""
    keep(run_steps=steps)
