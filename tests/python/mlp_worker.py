"""PyTorch's side of tests/bench/mlp: the published loop of the depth sweep.

usage: mlp_worker.py eager|compile DEPTH THREADS
"""
import sys

import torch
from torch import nn

from classifier_reference import make_mlp
from turns_worker import serve

BATCH = 100


def disc_set(samples=1000):
    points = torch.empty(samples, 2).uniform_(0, 1)
    labels = (points.pow(2).sum(1) <= 1 / (2 * torch.pi)).long()
    return (points - points.mean()) / points.std(), labels


def main():
    variant, depth, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(threads)
    inputs, labels = disc_set()
    net = make_mlp(depth)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    model = torch.compile(net) if variant == 'compile' else net
    sums = {'loss': 0.0, 'errors': 0}

    def step(index):
        first = index * BATCH % inputs.size(0)
        x, y = inputs.narrow(0, first, BATCH), labels.narrow(0, first, BATCH)
        output = model(x)
        loss = criterion(output, y)
        sums['loss'] += loss.item()
        sums['errors'] += (output.argmax(1) != y).sum().item()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    serve(step, warm_up=20)


main()
