"""The classifiers of the depth sweep and of the data-parallel study in PyTorch, and NovoGrad as torch_optimizer has it.

For tests and benchmarks only; the product needs no Python. As a program it replays the steps that the C++ test
recorded: same weights, batches and random numbers; prints the loss of every step.
"""
import sys

import torch
from torch import nn


def make_mlp(depth):
    layers, width = [], 2
    for _ in range(depth - 1):
        layers += [nn.Linear(width, 2 * width), nn.ReLU()]
        width *= 2
    return nn.Sequential(*layers, nn.Linear(width, 2))


def conv_bn_relu(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding='same', bias=False), nn.BatchNorm2d(o), nn.ReLU())


class ResidualBlock(nn.Module):
    def __init__(self, i, o, dropout):
        super().__init__()
        self.first = conv_bn_relu(i, o)
        self.dropout = nn.Dropout(dropout)
        self.second = conv_bn_relu(o, o)
        self.scale = nn.Conv2d(i, o, 1, padding='same') if i != o else nn.Identity()

    def forward(self, x):
        return self.second(self.dropout(self.first(x))) + self.scale(x)


def make_wide_resnet(channels=1, widen=10, dropout=0.01):
    c = [16, 16 * widen, 32 * widen, 64 * widen]
    return nn.Sequential(
        conv_bn_relu(channels, c[0]),
        ResidualBlock(c[0], c[1], dropout), ResidualBlock(c[1], c[1], dropout), nn.MaxPool2d(2),
        ResidualBlock(c[1], c[2], dropout), ResidualBlock(c[2], c[2], dropout), nn.MaxPool2d(2),
        ResidualBlock(c[2], c[3], dropout), ResidualBlock(c[3], c[3], dropout),
        nn.AvgPool2d(7), nn.Flatten(), nn.Linear(c[3], 10))


class NovoGrad(torch.optim.Optimizer):
    """The rule of torch_optimizer.NovoGrad, without amsgrad."""

    def __init__(self, params, lr, betas=(0.95, 0), eps=1e-8, weight_decay=0, grad_averaging=False):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                      grad_averaging=grad_averaging))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group['betas']
            for p in group['params']:
                state = self.state.setdefault(p, {})
                if not state:
                    state['m'] = torch.zeros_like(p)
                    state['v'] = torch.zeros([])
                norm = p.grad.pow(2).sum()
                state['v'] = norm if state['v'] == 0 else state['v'] * beta2 + (1 - beta2) * norm
                g = p.grad / (state['v'].sqrt() + group['eps'])
                if group['weight_decay'] != 0:
                    g = g + group['weight_decay'] * p
                if group['grad_averaging']:
                    g = g * (1 - beta1)
                state['m'].mul_(beta1).add_(g)
                p.add_(state['m'], alpha=-group['lr'])


def option(options, name):
    return float(options[name])


def make_optimizer(name, options, parameters):
    if name == 'novograd':
        return NovoGrad(parameters, option(options, 'learning_rate'), (option(options, 'beta1'), option(options, 'beta2')),
                        option(options, 'epsilon'), option(options, 'weight_decay'), options['grad_averaging'] == 'true')
    return torch.optim.SGD(parameters, lr=option(options, 'learning_rate'), momentum=option(options, 'momentum'),
                           weight_decay=option(options, 'weight_decay'))


def make_net(name, options):
    if name == 'mlp':
        return make_mlp(int(options['depth']))
    return make_wide_resnet(int(options['channels']), int(options['widen']), option(options, 'dropout'))


def replay(path):
    recorded = torch.load(path, weights_only=False)  # C++ marks types of containers, which weights_only refuses
    torch.set_num_threads(1)
    torch.set_default_dtype(recorded['inputs'][0].dtype)
    net = make_net(recorded['model'], recorded['model_options'])
    net.load_state_dict(recorded['weights'], strict=False)
    assert set(recorded['weights']) == set(dict(net.named_parameters()))
    optimizer = make_optimizer(recorded['optimizer'], recorded['optimizer_options'], net.parameters())
    criterion = nn.CrossEntropyLoss()
    torch.set_rng_state(recorded['random'])
    batches = list(zip(recorded['inputs'], recorded['labels']))
    for _ in range(recorded['epochs']):
        for inputs, labels in batches:
            loss = criterion(net(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(f'{loss.item():.17g}')


if __name__ == '__main__':
    replay(sys.argv[1])
