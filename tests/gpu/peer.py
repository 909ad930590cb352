"""PyTorch's side of tests/gpu/campaign, on the data and weights that tests/bench/case.cpp leaves in FOLDER.

usage: peer.py losses DEVICE THREADS PRECISION,... FOLDER SEED STEPS  prints "way PRECISION", then the losses of each step
       peer.py train|infer DEVICE THREADS PRECISION FOLDER VARIANT    serves turns (tests/bench/turns.py)
The variants: eager; compile: torch.compile as it is; tuned: that with CUDA graphs (reduce-overhead), channels_last, kernels chosen by
measurement, and fused optimizers.
The precisions of losses: fp32, tf32 (TF32 is allowed everywhere, in the others nowhere), bf16, fp16.
"""
import json
import sys
import time
from pathlib import Path

import torch
from torch import nn

import networks
from networks import dcgan_reference as dcgan

HALF = {'bf16': torch.bfloat16, 'fp16': torch.float16}


def prepared(net, variant):
    """NET as VARIANT runs it."""
    if variant == 'tuned':
        torch.backends.cudnn.benchmark = True
        net = net.to(memory_format=torch.channels_last)
    return net if variant == 'eager' else torch.compile(net, mode='reduce-overhead' if variant == 'tuned' else None)


class Gan:
    def __init__(self, case, weights, device, variant):
        options = case['options']
        self.latent, self.device = int(options['latent']), device
        self.net_D, self.net_G = dcgan.make_nets(int(options['width']), self.latent)
        for prefix, net in (('net_D.', self.net_D), ('net_G.', self.net_G)):
            net.load_state_dict({name.removeprefix(prefix): tensor for name, tensor in weights.items() if name.startswith(prefix)})
            net.to(device)
        self.trainers = dcgan.make_trainers(self.net_D, self.net_G, float(case['optimizer']['learning_rate']))
        if variant == 'tuned':
            for trainer in self.trainers:
                trainer.param_groups[0]['fused'] = True
        self.net_D, self.net_G = prepared(self.net_D, variant), prepared(self.net_G, variant)
        self.loss = nn.BCEWithLogitsLoss(reduction='sum')

    def step(self, batch):
        X = batch['inputs']
        Z = torch.normal(0, 1, size=(len(X), self.latent, 1, 1)).to(self.device)  # drawn on the host, as the study does
        loss_D = dcgan.update_D(X, Z, self.net_D, self.net_G, self.loss, self.trainers[0])
        loss_G = dcgan.update_G(Z, self.net_D, self.net_G, self.loss, self.trainers[1])
        return [loss_D.detach() / len(X), loss_G.detach() / len(X)]


def decay_groups(model, decay):
    """As in Trainer of transformers: biases and norms lose nothing."""
    norms = {id(p) for module in model.modules() if isinstance(module, nn.LayerNorm) for p in module.parameters()}
    free = [p for name, p in model.named_parameters() if id(p) in norms or name.endswith('bias')]
    taken = {id(p) for p in free}
    return [{'params': [p for p in model.parameters() if id(p) not in taken], 'weight_decay': decay},
            {'params': free, 'weight_decay': 0.0}]


class Classifier:
    def __init__(self, case, weights, device, variant, precision='fp32'):
        self.model = networks.make_classifier(case).to(device)
        self.model.load_state_dict(weights)
        options = {name: float(value) for name, value in case['optimizer'].items() if value not in ('true', 'false')}
        if 'beta1' in options:
            self.optimizer = torch.optim.AdamW(decay_groups(self.model, options['weight_decay']), lr=options['learning_rate'],
                                               betas=(options['beta1'], options['beta2']), eps=options['epsilon'], fused=True)
        else:
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=options['learning_rate'], momentum=options['momentum'],
                                             weight_decay=options['weight_decay'], fused=variant == 'tuned')
        self.run = prepared(self.model, variant)
        self.device, self.half = device, HALF.get(precision)
        self.scaler = torch.amp.GradScaler(device, enabled=precision == 'fp16')

    def logits(self, batch):
        with torch.autocast(self.device, dtype=self.half or torch.bfloat16, enabled=self.half is not None):
            return self.run(batch['inputs'], batch['mask']) if 'mask' in batch else self.run(batch['inputs'])

    def step(self, batch):
        logits = self.logits(batch)
        with torch.autocast(self.device, dtype=self.half or torch.bfloat16, enabled=self.half is not None):
            loss = nn.functional.cross_entropy(logits, batch['labels'])
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()
        return [loss.detach()]

    def infer(self, batch):
        with torch.inference_mode():
            return self.logits(batch).argmax(-1).tolist()


def batches_in(folder, device):
    packed = networks.load_safetensors(folder / 'batches.safetensors')
    count = sum(name.startswith('inputs.') for name in packed)
    return [{name: packed[f'{name}.{i}'].to(device) for name in ('inputs', 'labels', 'mask') if f'{name}.{i}' in packed}
            for i in range(count)]


def main():
    task, device, threads, precision, folder, *rest = sys.argv[1:]
    torch.set_num_threads(int(threads))
    folder = Path(folder)
    case = json.loads((folder / 'case.json').read_text())
    weights = networks.load_safetensors(case.get('weights') or folder / 'weights.safetensors')
    batches = batches_in(folder, device)

    def make(precision, variant):
        if case['model'] == 'dcgan':
            return Gan(case, weights, device, variant)
        return Classifier(case, weights, device, variant, precision)

    if task == 'losses':
        for way in precision.split(','):
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = way == 'tf32'
            net = make(way, 'eager')
            print('way', way)
            torch.manual_seed(int(rest[0]))
            for _ in range(int(rest[1])):
                print(*(f'{loss.item():.9g}' for loss in net.step(batches[0])), flush=True)
        return
    net = make(precision, rest[0])
    if task == 'infer':
        net.model.eval()
    step = net.step if task == 'train' else net.infer

    def turn(steps):
        start = time.monotonic()
        for index in range(steps):
            step(batches[index % len(batches)])
        if device == 'cuda':
            torch.cuda.synchronize()
        return time.monotonic() - start

    turn(3)
    print('ready', flush=True)
    for line in sys.stdin:
        print(turn(int(line.split()[0])), flush=True)


if __name__ == '__main__':
    main()
