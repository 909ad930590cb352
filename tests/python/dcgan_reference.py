"""The lab's DCGAN as published, in PyTorch: Dive into Deep Learning, chapter_generative-adversarial-networks.

For tests and benchmarks only; the product needs no Python. As a program it replays the steps that the C++ test
recorded: same weights, batches and noise; prints "loss_d loss_g" a step.
"""
import sys

import torch
from torch import nn


class G_block(nn.Module):
    def __init__(self, out_channels, in_channels=3, kernel_size=4, strides=2, padding=1):
        super().__init__()
        self.conv2d_trans = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, strides, padding, bias=False)
        self.batch_norm = nn.BatchNorm2d(out_channels)
        self.activation = nn.ReLU()

    def forward(self, X):
        return self.activation(self.batch_norm(self.conv2d_trans(X)))


class D_block(nn.Module):
    def __init__(self, out_channels, in_channels=3, kernel_size=4, strides=2, padding=1, alpha=0.2):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, kernel_size, strides, padding, bias=False)
        self.batch_norm = nn.BatchNorm2d(out_channels)
        self.activation = nn.LeakyReLU(alpha)

    def forward(self, X):
        return self.activation(self.batch_norm(self.conv2d(X)))


def make_nets(width=64, latent=100):
    n = width
    net_G = nn.Sequential(
        G_block(in_channels=latent, out_channels=n * 8, strides=1, padding=0),
        G_block(in_channels=n * 8, out_channels=n * 4),
        G_block(in_channels=n * 4, out_channels=n * 2),
        G_block(in_channels=n * 2, out_channels=n),
        nn.ConvTranspose2d(in_channels=n, out_channels=3, kernel_size=4, stride=2, padding=1, bias=False),
        nn.Tanh())
    net_D = nn.Sequential(
        D_block(n),
        D_block(in_channels=n, out_channels=n * 2),
        D_block(in_channels=n * 2, out_channels=n * 4),
        D_block(in_channels=n * 4, out_channels=n * 8),
        nn.Conv2d(in_channels=n * 8, out_channels=1, kernel_size=4, bias=False))
    return net_D, net_G


def initialise(net_D, net_G):
    for w in net_D.parameters():
        nn.init.normal_(w, 0, 0.02)
    for w in net_G.parameters():
        nn.init.normal_(w, 0, 0.02)


def make_trainers(net_D, net_G, lr=0.005):
    trainer_hp = {'lr': lr, 'betas': [0.5, 0.999]}
    return (torch.optim.Adam(net_D.parameters(), **trainer_hp),
            torch.optim.Adam(net_G.parameters(), **trainer_hp))


def update_D(X, Z, net_D, net_G, loss, trainer_D):
    batch_size = X.shape[0]
    ones = torch.ones((batch_size,), device=X.device)
    zeros = torch.zeros((batch_size,), device=X.device)
    trainer_D.zero_grad()
    real_Y = net_D(X)
    fake_X = net_G(Z)
    fake_Y = net_D(fake_X.detach())
    loss_D = (loss(real_Y, ones.reshape(real_Y.shape)) + loss(fake_Y, zeros.reshape(fake_Y.shape))) / 2
    loss_D.backward()
    trainer_D.step()
    return loss_D


def update_G(Z, net_D, net_G, loss, trainer_G):
    batch_size = Z.shape[0]
    ones = torch.ones((batch_size,), device=Z.device)
    trainer_G.zero_grad()
    fake_X = net_G(Z)
    fake_Y = net_D(fake_X)
    loss_G = loss(fake_Y, ones.reshape(fake_Y.shape))
    loss_G.backward()
    trainer_G.step()
    return loss_G


def replay(path):
    recorded = torch.load(path, weights_only=False)  # C++ marks types of containers, which weights_only refuses
    torch.set_num_threads(1)
    torch.set_default_dtype(recorded['batches'][0].dtype)
    weights = recorded['weights']
    net_D, net_G = make_nets(width=weights['net_D.0.conv2d.weight'].shape[0],
                             latent=weights['net_G.0.conv2d_trans.weight'].shape[0])
    for prefix, net in (('net_D.', net_D), ('net_G.', net_G)):
        net.load_state_dict({name.removeprefix(prefix): tensor for name, tensor in weights.items()
                             if name.startswith(prefix)}, strict=True)
    trainer_D, trainer_G = make_trainers(net_D, net_G)
    loss = nn.BCEWithLogitsLoss(reduction='sum')
    torch.set_rng_state(recorded['random'])
    for X in recorded['batches']:
        Z = torch.normal(0, 1, size=(X.shape[0], weights['net_G.0.conv2d_trans.weight'].shape[0], 1, 1))
        loss_D = update_D(X, Z, net_D, net_G, loss, trainer_D)
        loss_G = update_G(Z, net_D, net_G, loss, trainer_G)
        print(f'{loss_D.item():.17g} {loss_G.item():.17g}')


if __name__ == '__main__':
    replay(sys.argv[1])
