"""One side of tests/bench/ddp: PyTorch's DistributedDataParallel. Prints when each step of rank 0 began, in seconds."""
import os
import sys
import time

import torch
import torch.distributed
import torch.multiprocessing


def perceptron(depth):
    layers, width = [], 2
    for _ in range(depth - 1):
        layers += [torch.nn.Linear(width, 2 * width), torch.nn.ReLU()]
        width *= 2
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, 2))


def train(rank, ranks, depth, steps, port):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = perceptron(depth)
    if ranks > 1:
        os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT=str(port))
        torch.distributed.init_process_group('gloo', rank=rank, world_size=ranks)
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs = torch.empty(100 * steps, 2).uniform_(-1, 1)
    labels = torch.randint(2, (100 * steps,))
    starts = []
    for x, y in zip(inputs.split(100), labels.split(100)):
        starts.append(time.perf_counter())
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    if rank == 0:
        print(*starts)
    if ranks > 1:
        torch.distributed.destroy_process_group()


if __name__ == '__main__':
    ranks, depth, steps = map(int, sys.argv[1:])
    if ranks == 1:
        train(0, 1, depth, steps, 0)
    else:
        torch.multiprocessing.spawn(train, (ranks, depth, steps, 20000 + os.getpid() % 10000), nprocs=ranks)
