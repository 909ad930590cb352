"""The losses of the first steps, from the same weights and batches, on our side and on PyTorch's: one process a side."""
import math
import sys

from .session import HERE, NotRun, at_once

SEED, STEPS = 7, 20
# Small learning rates: the GAN and the deep batch norms amplify rounding, within 20 steps at the published rates beyond 1e-2
# (PyTorch does not agree with itself there, see tests/src/training/torch/dcgan_test.cpp); the arithmetic checked is the same.
NO_DROPOUT = ['model.dropout=0', 'model.head_dropout=0']
CASES = {'mlp': ['batch=100'],
         'distilbert': ['batch=8', 'model.length=32', 'dataset.shortest=0.5', *NO_DROPOUT],
         'wide_resnet': ['batch=16', 'model.dropout=0', 'optimizer.learning_rate=1e-4'],
         'dcgan': ['batch=16', 'optimizer.learning_rate=1e-5'],
         'deit_tiny': ['batch=8', 'model.labels=10']}
# Largest relative difference of a loss. Half precision keeps 8 (bf16) or 11 (fp16) bits, TF32 11: 20 steps add up some units of
# the last place, and both sides may use other kernels.
TOLERANCE = {'fp32': 1e-4, 'tf32': 1e-2, 'bf16': 5e-2, 'fp16': 1e-2}


def ways_of(session, name):
    """Ours; PyTorch's side has one for each precision."""
    ways = ['optimized:fp32', 'reference:fp32', 'group:fp32']
    if not session.simulated:
        ways.append('optimized:tf32')
    if name != 'dcgan' and (not session.quick or name == 'mlp'):  # no autocast; on a CPU half precision of the large ones takes minutes
        ways += ['optimized:bf16', 'optimized:fp16']
    return ways


def read_losses(text):
    """{way: losses of each step}, without what records would note"""
    losses = {}
    for line in text.splitlines():
        if line.startswith('way '):
            way = losses.setdefault(line[4:], [])
        elif not line.startswith('note '):
            way.append([float(word) for word in line.split()])
    return losses


class Parity:
    """Of one model. Both processes run in the first check; the others compare."""

    def __init__(self, name):
        self.name = name

    def run(self, session):
        self.steps, batch = STEPS, int(CASES[self.name][0].split('=')[1])
        if session.quick and self.name != 'mlp':
            self.steps, batch = 4, 2
        folder, ours = session.case(self.name, ['task=train', f'dataset.samples={batch}', *CASES[self.name][1:], f'batch={batch}'])
        self.ways = ways_of(session, self.name)
        precisions = sorted({way.split(':')[1] for way in self.ways})
        self.sides = at_once([lambda command=command: session.run(command, status=None, limit_s=90) for command in (
            [*session.programs.test_program('gpu_losses'), session.threads, SEED, self.steps, ','.join(self.ways), *ours],
            [sys.executable, HERE / 'peer.py', 'losses', session.peer_device, session.threads, ','.join(precisions), folder, SEED, self.steps])])
        self.losses = [read_losses(side.stdout) for side in self.sides]
        self.notes = dict(zip(self.ways, (line[5:] for line in self.sides[0].stdout.splitlines() if line.startswith('note '))))
        assert all(side.returncode == 0 for side in self.sides), ' / '.join(side.stderr.strip()[-300:] for side in self.sides)
        return f'{len(self.ways)} ways, {len(precisions)} precisions'

    def compare(self, session, way):
        if not hasattr(self, 'losses'):
            raise NotRun('the sides did not run')
        precision = way.split(':')[1]
        mine, theirs = self.losses[0].get(way, []), self.losses[1].get(precision, [])
        assert len(mine) == len(theirs) == self.steps, f'ours has {len(mine)} steps, PyTorch {len(theirs)}, expected {self.steps}'
        assert precision == 'fp32' or mine != self.losses[0]['optimized:fp32'], f'{precision} gives the very losses of fp32: it is not applied'
        replays = way.startswith('optimized:') and precision != 'fp16' and not session.without_graphs
        assert not replays or 'steps were replays' in self.notes[way], f'no CUDA graph: {self.notes[way] or "no note"}'
        worst = max(abs(a - b) / abs(b) for ours, other in zip(mine, theirs) for a, b in zip(ours, other, strict=True))
        assert math.isfinite(worst) and worst <= TOLERANCE[precision], f'relative difference {worst:.2g}, allowed {TOLERANCE[precision]:g}'
        return f'largest relative difference of {self.steps} steps {worst:.2g} (allowed {TOLERANCE[precision]:g})'


def parity(session):
    models = [Parity(name) for name in CASES]
    session.make([(f'parity {model.name}: both sides', model.run) for model in models], at_once=2)
    session.make([(f'parity {model.name} {way}', model.compare, way) for model in models for way in ways_of(session, model.name)])
