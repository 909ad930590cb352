"""PIL's side of tests/bench/images.cpp: decodes and resizes files as torchvision's ImageFolder and Resize do, with
worker processes as torch's DataLoader has them. Prints images a second, the median of several passes.

usage: images.py LIST WORKERS PASSES
"""
import multiprocessing
import statistics
import sys
import time

import numpy
from PIL import Image


def load(path):
    with open(path, "rb") as file:
        image = Image.open(file).convert("RGB").resize((64, 64), Image.BILINEAR)
    return numpy.asarray(image)


def seconds_of_pass(paths, run):
    start = time.monotonic()
    for _ in run(load, paths):
        pass
    return time.monotonic() - start


def main():
    with open(sys.argv[1]) as file:
        paths = file.read().splitlines()
    workers, passes = int(sys.argv[2]), int(sys.argv[3])
    if workers == 1:
        seconds = [seconds_of_pass(paths, map) for _ in range(passes)]
    else:
        with multiprocessing.Pool(workers) as pool:
            seconds = [seconds_of_pass(paths, lambda f, p: pool.imap(f, p, chunksize=16)) for _ in range(passes)]
    print(len(paths) / statistics.median(seconds))


if __name__ == "__main__":
    main()
