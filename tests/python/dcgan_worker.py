"""PyTorch's side of tests/bench/dcgan: the published step on data in memory.

usage: dcgan_worker.py eager|channels_last|compile BATCH THREADS
"""
import sys

import torch
from torch import nn

import dcgan_reference as dcgan
from turns_worker import serve


def make_step(variant, batch):
    net_D, net_G = dcgan.make_nets()
    dcgan.initialise(net_D, net_G)
    data = torch.rand(4 * batch, 3, 64, 64) * 2 - 1
    if variant == 'channels_last':
        net_D, net_G, data = (x.to(memory_format=torch.channels_last) for x in (net_D, net_G, data))
    trainer_D, trainer_G = dcgan.make_trainers(net_D, net_G)
    if variant == 'compile':
        net_D, net_G = torch.compile(net_D), torch.compile(net_G)
    loss = nn.BCEWithLogitsLoss(reduction='sum')

    def step(index):
        X = data[index % 4 * batch:(index % 4 + 1) * batch]
        Z = torch.normal(0, 1, size=(batch, 100, 1, 1))
        losses = (dcgan.update_D(X, Z, net_D, net_G, loss, trainer_D),
                  dcgan.update_G(Z, net_D, net_G, loss, trainer_G))
        return [float(loss) for loss in losses]

    return step


def main():
    variant, batch, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(threads)
    serve(make_step(variant, batch), warm_up=2)


main()
