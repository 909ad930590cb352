"""Steps a second beside eager PyTorch and torch.compile, in turns. Figures of speed are reported and decide nothing.

Our side loads its batches as in a training; PyTorch's has its batches on the GPU from the start.
"""
import statistics
import sys

from turns import Worker, take_turns

from .parity import NO_DROPOUT
from .session import HERE, NotRun, at_once

# In the order of value; goals are ratios to eager, to torch.compile and to a peer with all that PyTorch's own guide advises.
CASES = [('mlp', 'train', ['batch=100', 'model.depth=8'], (2.0, 1.1, 1.0)),
         ('dcgan', 'train', ['batch=64'], (2.0, 1.1, 1.0)),
         ('wide_resnet', 'train', ['batch=64', 'model.dropout=0'], (1.0, 1.0)),
         ('distilbert', 'train', ['batch=16', 'model.length=64', *NO_DROPOUT], (1.0, 1.0)),
         ('distilbert', 'train', ['batch=16', 'model.length=64', 'precision=bf16', *NO_DROPOUT], (1.0, 1.0)),
         ('dcgan', 'train', ['batch=256'], (2.0, 1.1)),
         ('deit_tiny', 'train', ['batch=32', 'model.labels=10'], (1.0, 1.0)),
         ('mlp', 'train', ['batch=100', 'model.depth=2'], (2.0, 1.1)),
         ('distilbert', 'infer', ['batch=8', 'model.length=128', *NO_DROPOUT], (1.0, 1.0)),
         ('mlp', 'train', ['batch=100', 'model.depth=13'], (2.0, 1.1))]


class Case:
    def __init__(self, name, task, settings, goals):
        self.name, self.task, self.settings, self.goals = name, task, settings, dict(zip(('eager', 'compile', 'tuned'), goals))
        self.precision = next((word.split('=')[1] for word in settings if word.startswith('precision=')), 'fp32')
        self.title = f'speed {name} {task} {" ".join(settings)}'
        self.workers = {}

    def start(self, session):
        """Starts our worker and PyTorch's."""
        batch = int(self.settings[0].split('=')[1])
        folder, ours = session.case(self.name, [f'task={self.task}', f'dataset.samples={4 * batch}', *self.settings])
        peer = [sys.executable, HERE / 'peer.py', self.task, session.peer_device, session.threads, self.precision, folder]
        commands = {'ours': [*session.programs.test_program('bench_steps'), session.threads, *ours]}
        commands.update((variant, [*peer, variant]) for variant in (['eager'] if session.quick else ['eager', 'compile', 'tuned']))
        environment = {**session.programs.environment, 'TORCHINDUCTOR_COMPILE_THREADS': '2'}
        limit_s = session.within(120)
        begun = dict(zip(commands, at_once([lambda command=command: started(command, environment, limit_s) for command in commands.values()])))
        self.workers = {variant: worker for variant, worker in begun.items() if isinstance(worker, Worker)}
        missing = [f'without {variant}: {reason}' for variant, reason in begun.items() if variant not in self.workers]
        assert 'ours' in self.workers and 'eager' in self.workers, '; '.join(missing)
        return '; '.join([', '.join(self.workers), *missing])

    def measure(self, session):
        if 'ours' not in self.workers or 'eager' not in self.workers:
            raise NotRun('a worker did not start')
        batch, workers = int(self.settings[0].split('=')[1]), self.workers
        for worker in workers.values():
            worker.limit_s = session.within(20)
        trial = workers['eager'].rate_of(2)
        take_turns(workers.values(), session.rounds, max(2, round(session.seconds * trial)))
        median = {variant: statistics.median(worker.rates) for variant, worker in workers.items()}
        for variant, worker in workers.items():
            goal = self.goals.get(variant)
            ratio = '' if variant == 'ours' else f'{median["ours"] / median[variant]:.2f}' + (f' (goal {goal})' if goal else '')
            session.tables.append(f'| {self.title} | {variant} | {batch * median[variant]:.1f} | '
                                  f'{batch * min(worker.rates):.1f} to {batch * max(worker.rates):.1f} | {ratio} |')
        return ', '.join(f'ours {median["ours"] / median[variant]:.2f} x {variant}' for variant in workers if variant != 'ours')

    def end(self):
        for worker in self.workers.values():
            worker.stop()


def started(command, environment, limit_s):
    """The worker, or why there is none."""
    try:
        return Worker(command, environment, limit_s)
    except SystemExit as error:
        return str(error)


def speed(session):
    cases = [Case(*case) for case in (CASES[:1] if session.quick else CASES)]
    session.tables += ['## Speed', '', '| case | variant | samples/s (median) | range | ours over it |', '| --- | --- | --- | --- | --- |']
    try:
        for first in range(0, len(cases), 3):  # more would compile longer than their limit
            some = cases[first:first + 3]
            session.make([(f'{case.title}: workers', case.start) for case in some], at_once=3)
            session.make([(case.title, case.measure) for case in some])
            for case in some:
                case.end()
    finally:
        for case in cases:
            case.end()
