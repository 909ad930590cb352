"""Workers that take turns, so that what else the machine does hits all alike."""
import argparse
import datetime
import os
import platform
import select
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = os.environ.get('EPOCHCAST_PYTHON', ROOT / '.deps/python/bin/python')
# What src/training/torch/base/device.cpp sets by mallopt in the optimized procedure, for PyTorch too.
KEEP_MEMORY = {'GLIBC_TUNABLES': 'glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=2147483647'}

# The switches of oneDNN, MKL and ATen, for all workers alike: what a node without AVX-512 computes with. MKL documents its own
# for Intel's CPUs only; on others it may have no effect.
ISA = {'avx2': {'ONEDNN_MAX_CPU_ISA': 'AVX2', 'MKL_ENABLE_INSTRUCTIONS': 'AVX2', 'ATEN_CPU_CAPABILITY': 'avx2'},
       'avx512': {'ONEDNN_MAX_CPU_ISA': 'ALL', 'MKL_ENABLE_INSTRUCTIONS': 'AVX512', 'ATEN_CPU_CAPABILITY': 'avx512'}}

# What torch.compile keeps for next time. One folder for each instruction set: PyTorch 2.11 takes kernels of another one from
# its cache and then crashes.
COMPILED = 'TORCHINDUCTOR_CACHE_DIR'
os.environ.setdefault(COMPILED, str(ROOT / 'build/inductor'))


class ChooseIsa(argparse.Action):
    """--isa: sets the switches for the workers, which inherit them."""

    def __call__(self, parser, namespace, value, option_string=None):
        if value not in ISA:
            parser.error(f'argument --isa: unknown {value!r}, expected one of {", ".join(ISA)}')
        flags = Path('/proc/cpuinfo').read_text().split()
        if value == 'avx512' and 'avx512f' not in flags:
            parser.error('argument --isa: this CPU has no AVX-512')
        os.environ.update(ISA[value])
        os.environ[COMPILED] += f'-{value}'
        setattr(namespace, self.dest, value)


def add_isa(parser):
    parser.add_argument('--isa', action=ChooseIsa, metavar='|'.join(ISA), help='instruction set of both sides (default: all of the CPU)')


class Worker:
    """A program that says a first line (kept: `greeting`), then for every line N does N steps and prints their seconds.

    One that has several kinds of steps reads lines N KIND. With LIMIT_S, one that takes longer to answer is killed.
    """

    def __init__(self, command, environment={}, limit_s=None):
        self.limit_s = limit_s
        self.process = subprocess.Popen([*map(str, command)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, **environment})
        self.rates = []  # steps per second, a turn
        self.greeting = self.expect_line()

    def expect_line(self):
        # One line answers one request, so none is left in Python's buffer, where select would not see it.
        if not select.select([self.process.stdout], [], [], self.limit_s)[0]:
            self.stop()
            raise SystemExit(f'{self.process.args}: no answer within {self.limit_s:.0f} s')
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f'{self.process.args}: ended with {self.process.wait()}')
        return line

    def rate_of(self, steps, kind=''):
        self.process.stdin.write(f'{steps} {kind}\n')
        self.process.stdin.flush()
        return steps / float(self.expect_line())

    def turn(self, steps):
        self.rates.append(self.rate_of(steps))

    def peak_mib(self):
        status = Path(f'/proc/{self.process.pid}/status').read_text()
        return int(status.split('VmHWM:')[1].split()[0]) / 1024

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def stop(self):
        self.process.kill()
        self.process.wait()


class Kind:
    """One kind of steps of a Worker; takes turns like one."""

    def __init__(self, worker, kind):
        self.worker, self.kind = worker, kind
        self.rates = []

    def turn(self, steps):
        self.rates.append(self.worker.rate_of(steps, self.kind))


def take_turns(workers, rounds, steps):
    for _ in range(rounds):
        for worker in workers:
            worker.turn(steps)


def machine_text():
    lines = Path('/proc/cpuinfo').read_text().splitlines()
    cpu = next((line.split(': ')[1] for line in lines if line.startswith('model name')), platform.machine())
    now = datetime.datetime.now().astimezone().isoformat(timespec='seconds')
    isa = 'AVX-512' if 'avx512f' in ' '.join(lines).split() else 'AVX2'
    limits = ' '.join(f'{name}={os.environ[name]}' for name in ISA['avx2'] if name in os.environ)
    return f'{now} {platform.node()}, {cpu} with {isa}{", " * bool(limits)}{limits}, load {os.getloadavg()[0]:.1f} at the start'
