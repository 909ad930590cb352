"""What the checks of tests/gpu/campaign share: the programs, limits in time, records, the report."""
import concurrent.futures
import csv
import datetime
import importlib.util
import json
import math
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]


class NotRun(Exception):
    """The reason why a check has no answer here."""


class TooLong(AssertionError):
    """A program did not end within its own limit; there was more time."""


def torch_folder():
    spec = importlib.util.find_spec('torch')
    if spec is None:
        sys.exit(f'campaign: {sys.executable} has no torch. Start it with a Python that has: PYTHON tests/gpu/campaign ...')
    return Path(spec.submodule_search_locations[0])


class Programs:
    """How to start ours: those of a build folder, or those of the bundle with the archive's loader and libraries."""

    def __init__(self, build, simulated):
        self.torch = torch_folder()
        self.bundle = next(iter(ROOT.glob('epochcast-*')), None) if build is None else None
        build = (build or ROOT / 'build/release').resolve()
        self.bin = (self.bundle or build) / 'bin'
        if not (self.bin / 'epochcast-train').exists():
            sys.exit(f'campaign: no epochcast-train in {self.bin}; give --build, or start it from the unpacked bundle')
        own = [(ROOT if self.bundle else build / 'tests/gpu') / 'simulated'] if simulated else []
        if own and not list(own[0].glob('libepochcast_cuda-*.so')):
            sys.exit(f'campaign: no simulated device in {own[0]} (cmake --build BUILD --target simulated_cuda simulated_nvml)')
        # NVIDIA's wheels too: NVRTC opens its second library by the bare name.
        self.libraries = [*own, self.torch / 'lib', *sorted(self.torch.parent.glob('nvidia/*/lib'))]
        self.environment = {**os.environ, 'EPOCHCAST_TORCH': str(self.torch), 'OMP_WAIT_POLICY': 'passive'}
        self.environment.pop('NVIDIA_TF32_OVERRIDE', None)
        self.simulated = simulated
        if not self.bundle:
            self.environment['LD_LIBRARY_PATH'] = self.library_path()

    def library_path(self, *first):
        more = os.environ.get('LD_LIBRARY_PATH')
        return ':'.join([*map(str, first), *map(str, self.libraries), *([more] if more else [])])

    def by_loader(self, program):
        libraries = self.bundle / 'lib/epochcast'
        own = [self.libraries[0]] if self.simulated else []
        return [str(libraries / 'ld-linux-x86-64.so.2'), '--library-path', self.library_path(*own, libraries), str(program)]

    def ours(self, name):
        if self.bundle and self.simulated:  # the launcher would take the archive's library for GPUs
            return self.by_loader(next((self.bundle / 'libexec/epochcast').glob(f'{name}-2.11' if name == 'epochcast-train' else name)))
        return [str(self.bin / name)]

    def test_program(self, name):
        return self.by_loader(ROOT / 'programs' / name) if self.bundle else [str(self.bin / name)]


class Session:
    def __init__(self, arguments):
        self.device, self.threads, self.quick = arguments.device, arguments.threads, arguments.quick
        self.simulated = self.device == 'simulated'
        self.peer_device = 'cpu' if self.simulated else 'cuda'  # of PyTorch's side
        self.rounds, self.seconds = arguments.rounds, arguments.seconds
        self.out = arguments.out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        arguments.work.mkdir(parents=True, exist_ok=True)
        self.cases = arguments.work.resolve() / 'cases'  # kept: other calls need the same
        self.work = Path(tempfile.mkdtemp(prefix='call-', dir=arguments.work.resolve()))
        self.records = self.work / 'records'
        self.records.mkdir()
        self.programs = Programs(arguments.build, self.simulated)
        self.without_graphs = []  # a setting, if the smoke part found that graphs do not work here
        self.patience = arguments.patience
        self.end_s = math.inf
        self.rows, self.tables = [], []  # of the report; a row is check, result, what was seen
        self.lock = threading.Lock()
        self.packed_s = time.monotonic()
        self.open_device = hold_device_open() if self.device == 'cuda' else None
        self.machine = machine_text(self.device, self.programs.torch)
        (self.out / 'log').write_text('')
        self.say(self.machine)

    # Running programs

    def left_s(self):
        left = self.end_s - time.monotonic()
        if left < 5:
            raise NotRun('no time was left')
        return left

    def within(self, limit_s):
        """LIMIT_S seconds of a check, longer where the user has more patience, and none that are not left."""
        return min(self.left_s(), limit_s * self.patience)

    def run(self, command, environment={}, status=0, limit_s=60, **more):
        """STATUS None: whatever it ends with. All processes that it started end with it."""
        limit_s = self.within(limit_s)
        with subprocess.Popen([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.work,
                              env={**self.programs.environment, **environment}, start_new_session=True, **more) as process:
            try:
                stdout, stderr = process.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                self.left_s()
                raise TooLong(f'{words_of(command)} did not end within {limit_s:.0f} s') from None
        if status is not None and process.returncode != status:
            raise AssertionError(f'{words_of(command)} ended with {process.returncode}, expected {status}: {stderr.strip()[-400:]}')
        return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)

    def train_words(self, point, *words, device='cuda'):
        return [*self.programs.ours('epochcast-train'), f'--device={device}', f'--threads={self.threads}', f'--point={point}',
                f'--records={self.records}', f'--work={self.work}/points', *(f'--{word}' for word in self.without_graphs), *words]

    def train(self, point, *words, device='cuda', job=1, environment={}, **more):
        return self.run(self.train_words(point, *words, device=device), {'EPOCHCAST_JOB_ID': str(job), **environment}, **more)

    def analyze(self, *words, **more):
        return self.run([*self.programs.ours('epochcast-analyze'), *words], **more)

    def table(self, *words):
        return list(csv.DictReader(self.analyze('table', *words, '--format', 'csv').stdout.splitlines()))

    def lines(self, point, table, job=1):
        """The rows of a table of a record, from its JSON lines."""
        rows = map(json.loads, (self.records / f'{point}-{job}.jsonl').read_text().splitlines())
        return [row for row in rows if row.get('table') == table]

    def metrics(self, point, name, job=1):
        return [row['value'] for row in self.lines(point, 'metrics', job) if row['name'] == name]

    def case(self, name, settings):
        """The folder with weights and batches of a run; its settings, with these weights."""
        folder = self.cases / '_'.join([name, *settings]).replace('/', '_')
        settings = [f'model={name}', 'dataset=synthetic', *settings]
        if not (folder / 'case.json').exists():
            self.run([*self.programs.test_program('bench_case'), folder, *settings])
        return folder, [*settings, f'weights={folder}/weights.safetensors', 'device=cuda', *self.without_graphs]

    def needs_gpu(self):
        if self.simulated:
            raise NotRun('not on a GPU')

    # The report

    def say(self, text):
        with self.lock:
            print(text, flush=True)
            with open(self.out / 'log', 'a') as log:
                print(text, file=log)

    def make(self, checks, at_once=1):
        """Makes (title, body, words...), AT_ONCE at a time, whatever they meet. Returns whether none failed."""
        if self.quick or self.simulated:
            at_once = 1
        rows = [[title, 'not reached', ''] for title, *_ in checks]
        with self.lock:
            self.rows += rows
        with concurrent.futures.ThreadPoolExecutor(at_once) as threads:
            list(threads.map(self.make_one, rows, checks))
        return all('FAILED' not in result for _, result, _ in rows)

    def make_one(self, row, check):
        title, body, *words = check
        start = time.monotonic()
        try:
            self.left_s()
            result, seen = 'passed', body(self, *words)
        except NotRun as reason:
            result, seen = 'not run', str(reason)
        except (Exception, SystemExit) as error:  # whatever a check meets, the others are still made
            result, seen = '**FAILED**', f'{type(error).__name__}: {error}'
        row[1:] = [result, str(seen).replace('\n', ' ').replace('|', '/')]
        self.say(f'{title}: {result}: {row[2]} ({time.monotonic() - start:.1f} s)')
        self.write_report()

    def write_report(self):
        with self.lock:
            head = [f'# tests/gpu/campaign on {self.device}', '', self.machine, '', ' '.join(['Command: tests/gpu/campaign', *sys.argv[1:]]), '',
                    '| check | result | seen |', '| --- | --- | --- |', *(f'| {" | ".join(row)} |' for row in self.rows), '']
            (self.out / 'gpu-report.md').write_text('\n'.join(head + self.tables) + '\n')
            if time.monotonic() - self.packed_s > 20:  # whatever ends this process, the records so far are there
                self.pack_records()

    def pack_records(self):
        with tarfile.open(self.out / 'records.part', 'w:gz') as archive:
            for record in sorted(self.records.glob('*.h5')):
                archive.add(record, f'records/{record.name}')
        os.replace(self.out / 'records.part', self.out / 'records.tar.gz')
        self.packed_s = time.monotonic()

    def finish(self):
        self.write_report()
        self.pack_records()
        shutil.rmtree(self.work, ignore_errors=True)
        failed = [title for title, result, _ in self.rows if 'FAILED' in result]
        print(f'{self.out}/gpu-report.md: {len(self.rows)} checks, {len(failed)} failed', flush=True)
        return 1 if failed else 0


def words_of(command):
    return ' '.join(str(word) for word in command[-6:])


def at_once(functions):
    """What they return. On a GPU most of the time of a short process is its start."""
    with concurrent.futures.ThreadPoolExecutor() as threads:
        return [started.result() for started in [threads.submit(function) for function in functions]]


def one_line(done, text):
    """The only line of an error, which has TEXT in it."""
    errors = [line for line in done.stderr.splitlines() if 'error' in line]
    assert done.returncode == 1, f'ended with {done.returncode}, expected 1: {done.stderr[-300:]}'
    assert len(errors) == 1 and text in errors[0], f'expected one line with "{text}", found: {done.stderr[-300:]}'
    return errors[0]


def hold_device_open():
    """Without it the driver would free the GPU, and open it again, between two processes. It makes no context on the GPU."""
    import ctypes
    try:
        nvml = ctypes.CDLL('libnvidia-ml.so.1')
        nvml.nvmlInit_v2()
        nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(ctypes.c_void_p()))
        return nvml
    except OSError:
        return None


def machine_text(device, torch):
    version = dict(re.findall(r"^(__version__|cuda)\b.*= '([^']*)'", (torch / 'version.py').read_text(), re.M))
    card = 'not run on a GPU: a CUDA device simulated on the CPU, of which no time is a GPU\'s'
    if device == 'cuda':
        query = 'nvidia-smi --query-gpu=name,driver_version,persistence_mode,compute_mode,mig.mode.current --format=csv,noheader'
        told = subprocess.run(query, shell=True, text=True, capture_output=True)
        card = f'{told.stdout.strip() or told.stderr.strip()} (name, driver, persistence, compute mode, MIG)'
    cpu = next((line.split(': ')[1] for line in Path('/proc/cpuinfo').read_text().splitlines() if line.startswith('model name')), '')
    now = datetime.datetime.now().astimezone().isoformat(timespec='seconds')
    return f'{now}, {platform.node()}: {card}; {cpu}; torch {version.get("__version__")}, CUDA {version.get("cuda")}'
