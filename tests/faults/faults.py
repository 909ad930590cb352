#!/usr/bin/env python3
"""Every call that changes a file, and every way in which it can fail: nothing is lost, the exit status tells, and the same
command goes on afterwards.

usage: tests/faults/faults.py BIN FAILING_CALLS [--long] [--table] [--kills=N] [--seed=N] [--part=K/N] [SCENARIO...]

A scenario is a command of BIN in a folder. It runs once to count its calls that change a file there (failing_calls.cpp), then
once for each call and kind of fault (--long), or for the first and last call of each kind of call and file, each with a
kind in turn. A new write of a program is therefore a new row by itself. After each fault the command runs again without it.

As root, the same on a disk (tmpfs) with 0, 1, 2, ... pages left, for what no call of a library shows (Bash's own writes).
And killed at random moments: the program, or it and all that it started (1,200 times in all scenarios with --long).
"""
import csv
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

KINDS = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EINTR', 'short', 'before', 'within', 'after']
KILLED = ('before', 'within', 'after')
EPOCHS = 4
PROGRAM = 'i=0; while [ $i -lt {} ]; do i=$((i+1)); sleep 0.03; echo "Epoch $i/{} loss: 0.$i"; done'.format(EPOCHS, EPOCHS)
SBATCH = r'''#!/bin/bash
for word in "$@"; do case $word in --comment=*) token=${word#*=} ;; *.sbatch) script=$word ;; esac; done
echo >>"$FAKE/numbers"
n=$(wc -l <"$FAKE/numbers")
echo "$n|$n|PENDING|0:00|Priority|$(basename "$script" .sbatch)|$token" >>"$FAKE/queue"
echo "$n"
'''


class Wrong(Exception):
    """What must not be."""


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def is_complete(lines):
    """By its last whole header: one whose record could not be written to its end has failed, and says why."""
    return re.findall('"outcome":"([a-z]*)".*"crc32":"[0-9a-f]{8}"}\n', lines.read_text(errors='replace'))[-1:] == ['complete']


class Scenario:
    """Its folder has `work`, where calls fail, and `safe`, where none does."""
    attempt = 0  # of a program that writes one record a call
    patience_s = 120

    def __init__(self, bin_folder, folder, disk=False):
        self.bin, self.folder = bin_folder, folder
        self.work, self.safe = folder / 'work', folder / 'safe'
        self.work.mkdir()
        self.safe.mkdir()
        if disk:
            subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=8m', 'none', self.work], check=True)
        self.prepare()

    def prepare(self):
        pass

    def call(self, command, **environment):
        known = {name: value for name, value in os.environ.items() if not name.startswith(('SLURM_', 'SBATCH_', 'EPOCHCAST_'))}
        return {'args': [str(word) for word in command], 'cwd': self.folder, 'text': True, 'stdin': subprocess.DEVNULL,
                'errors': 'replace', 'env': {**known, **self.environment(), **environment}}

    def run(self, command, **environment):
        with subprocess.Popen(**self.call(command, **environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            try:
                out, err = program.communicate(timeout=self.patience_s)
            except subprocess.TimeoutExpired:
                program.terminate()  # it waits for space, or it hangs, and then ends by no SIGTERM either
                try:
                    out, err = program.communicate(timeout=self.patience_s)
                except subprocess.TimeoutExpired:
                    program.kill()
                    raise Wrong('does not end: {}'.format(' '.join(program.args)))
        return subprocess.CompletedProcess(program.args, program.returncode, out, err)

    def killed(self, command, after_s, all_of_it):
        """The exit status of the program, which SIGKILL ends if it still runs then."""
        with open(self.folder / 'said', 'w') as said:
            program = subprocess.Popen(**self.call(command), stdout=said, stderr=said, start_new_session=True)
            time.sleep(after_s)
            os.killpg(program.pid, signal.SIGKILL) if all_of_it else program.kill()
            status = program.wait()
        if all_of_it:
            self.kill_all()
        while self.processes():
            time.sleep(0.01)
        return status

    def processes(self):
        """Those that run with this scenario's environment: epochcast-run first."""
        found = []
        for place in pathlib.Path('/proc').glob('[0-9]*'):
            try:
                if bytes(self.safe) in (place / 'environ').read_bytes():
                    found.append(((place / 'comm').read_text() != 'epochcast-run\n', int(place.name)))
            except OSError:  # it has ended, or is somebody else's
                pass
        return [process for _, process in sorted(found)]

    def kill_all(self):
        """What writes a record first: it would write down that the others have ended."""
        while self.processes():
            for process in self.processes():
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def environment(self):
        return {'HOME': str(self.safe), **({'EPOCHCAST_JOB_ID': 'local-{}'.format(self.attempt)} if self.attempt else {})}

    def must(self, *command):
        ended = self.run(command)
        expect(ended.returncode == 0, '{}: status {}: {}'.format(' '.join(map(str, command)), ended.returncode, ended.stderr))
        return ended.stdout

    def records(self, folder):
        return sorted(pathlib.Path(folder).glob('*.h5')) + sorted(
            path.with_suffix('.h5') for path in pathlib.Path(folder).glob('*.jsonl') if not path.with_suffix('.h5').exists())

    def epochs_in_lines(self, record):
        lines = record.with_suffix('.jsonl')
        return sum('"table":"epochs"' in line and line.endswith('}\n') for line in open(lines, errors='replace')) \
            if lines.exists() else 0

    def check_records(self, folder):
        """What was measured can be had: a record is whole, or salvage rebuilds it with all the epochs of its lines."""
        for record in self.records(folder):
            if record.name.endswith('.salvaged.h5'):
                continue
            lines = record.with_suffix('.jsonl')
            if lines.exists():  # as if it had been left alone for a while
                os.utime(lines, (lines.stat().st_mtime - 300,) * 2)
            readable = record
            verified = self.run([self.bin / 'epochcast-analyze', 'verify', record])
            if verified.returncode != 0:
                readable = record.with_suffix('.salvaged.h5')
                salvaged = None if readable.exists() else self.run([self.bin / 'epochcast-analyze', 'salvage', record])
                expect(readable.exists() or 'nothing can be rebuilt' in salvaged.stderr,
                       '{}: neither verify ({}) nor salvage ({})'.format(record, verified.stdout, salvaged and salvaged.stderr))
            if readable.exists():
                self.must(self.bin / 'epochcast-analyze', 'export', 'csv', readable, '-o', self.safe / 'csv')
                path = self.safe / 'csv/epochs.csv'
                rows = len(list(csv.DictReader(open(path)))) if path.exists() else 0
                wanted = self.epochs_in_lines(record)
                expect(rows >= wanted, '{}: {} epochs, the lines have {}'.format(readable, rows, wanted))
                shutil.rmtree(self.safe / 'csv')


class Record(Scenario):
    """epochcast-run, which records a program."""

    def command(self):
        self.attempt += 1
        return [self.bin / 'epochcast-run', '--records=work/records', '--work=work/w', '--point=p', '--telemetry=0s', '--', 'sh',
                '-c', PROGRAM]

    def check(self, ended, faulty):
        self.check_records(self.work / 'records')
        if ended.returncode == 0:
            expect(self.epochs_in_lines(self.work / 'records/p-local-{}.h5'.format(self.attempt)) == EPOCHS, 'status 0, and too few epochs')


class Generate(Scenario):
    """epochcast-jobs generate."""
    local = 'scheduler: local\ndefaults: {time: 1h}\nallocations: {cpu1: {cpus: 1}}\n'
    slurm = 'scheduler: slurm\ndefaults: {time: 1h, memory: 1G}\nallocations: {cpu1: {cpus: 1}}\n'
    cluster = local
    program = PROGRAM

    @property
    def experiment(self):
        return 'name: x\nepochs: {}\ncommand: [sh, -c, {}]\nrepeats: 2\n'.format(EPOCHS, json.dumps(self.program))

    def prepare(self):
        (self.safe / 'x.yaml').write_text(self.experiment)
        (self.safe / 'c.yaml').write_text(self.cluster)

    def generate(self):
        return [self.bin / 'epochcast-jobs', 'generate', 'safe/x.yaml', '--cluster', 'safe/c.yaml', '-o', 'work/out']

    def command(self):
        return self.generate()

    def check(self, ended, faulty):
        if ended.returncode == 0:
            self.must(self.bin / 'epochcast-jobs', 'status', 'work/out')
            expect(len(list((self.work / 'out/scripts').glob('x*.sbatch'))) == 2, 'status 0, and not every script')

    def states(self):
        ended = self.run([self.bin / 'epochcast-jobs', 'status', 'work/out', '--format', 'json'])
        expect(ended.returncode in (0, 1), 'status: {}'.format(ended.stderr))  # 1: a point has failed
        status = json.loads(ended.stdout)
        return {point['point']: point for point in status['points']}


class RunHere(Generate):
    """epochcast-jobs run, on this machine."""

    def prepare(self):
        super().prepare()
        self.must(*self.generate())

    def command(self):
        return [self.bin / 'epochcast-jobs', 'run', 'work/out']

    def check(self, ended, faulty):
        self.check_records(self.work / 'out/records')
        states = [point['state'] for point in self.states().values()]
        if ended.returncode == 0:
            expect(states == ['complete'] * 2, 'status 0, and the points are {}'.format(states))
        if not faulty:
            for point in self.states():
                complete = [path for path in (self.work / 'out/records').glob(point + '-*[0-9].jsonl') if is_complete(path)]
                expect(len(complete) == 1, '{} ran to its end {} times'.format(point, len(complete)))


class Close(RunHere):
    """epochcast-jobs resubmit, which lists what ended early, after a kill of everything: it closes the records."""
    program = PROGRAM + '; sleep 60'  # the kill comes before its end

    def prepare(self):
        super().prepare()
        records = self.work / 'out/records'
        with subprocess.Popen(**self.call(super().command()), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) as run:
            while not any('"table":"epochs"' in path.read_text() for path in records.glob('*.jsonl')):
                time.sleep(0.01)
            self.kill_all()

    def command(self):
        return [self.bin / 'epochcast-jobs', 'resubmit', 'work/out']

    def check(self, ended, faulty):
        self.check_records(self.work / 'out/records')
        if not faulty:
            states = [point['state'] for point in self.states().values()]
            expect(sorted(states) == ['lost', 'new'], 'the points are {}'.format(states))


class Plan(RunHere):
    """epochcast-jobs run, after plan: pilots, limits, the ledger."""

    def prepare(self):
        Generate.prepare(self)
        self.must(self.bin / 'epochcast-jobs', 'plan', 'safe/x.yaml', '--cluster', 'safe/c.yaml', '-o', 'work/out', '--pilot-epochs=2')

    def check(self, ended, faulty):
        super().check(ended, faulty)
        if ended.returncode == 0:
            rows = list(csv.DictReader(open(self.work / 'out/ledger.csv')))
            # a forecast ends with the attempt that it was made for
            expect(len(rows) == 2 and all(row['outcome'] for row in rows),
                   'status 0, and the ledger has {}'.format([row.get('outcome') for row in rows]))


class Notify(RunHere):
    """epochcast-jobs run, with a command that is told of the end: once, or not at all where a kill came between."""

    @property
    def cluster(self):
        return self.local.replace('time: 1h', 'time: 1h, notify: {{command: "cat >>{}"}}'.format(self.safe / 'told'))

    def check(self, ended, faulty):
        super().check(ended, faulty)
        told, began = [path.read_text(errors='replace').count(words) if path.exists() else 0 for path, words in (
            (self.safe / 'told', '2 points: 2 complete'), (self.work / 'out/submissions.jsonl', '"event":"notify"'))]
        expect(told == 1 or (told == 0 and (faulty or began)), 'told {} times, begun {} times'.format(told, began))


class Submit(Generate):
    """epochcast-jobs submit, to a scheduler that takes each job."""
    cluster = Generate.slurm
    answers = {'sbatch': SBATCH, 'squeue': '#!/bin/bash\ncat "$FAKE/queue"\n', 'sacct': '#!/bin/bash\nexit 1\n',
               'scontrol': '#!/bin/bash\nexit 1\n', 'sinfo': '#!/bin/bash\nexit 1\n'}

    def prepare(self):
        super().prepare()
        (self.safe / 'queue').touch()
        for name, text in self.answers.items():
            path = self.safe / name
            path.write_text(text)
            path.chmod(0o700)
        self.must(*self.generate())

    def environment(self):
        return {**super().environment(), 'FAKE': str(self.safe), 'PATH': '{}:{}'.format(self.safe, os.environ['PATH'])}

    def command(self):
        return [self.bin / 'epochcast-jobs', 'submit', 'work/out']

    def check(self, ended, faulty):
        jobs = [line.split('|')[5] for line in open(self.safe / 'queue')]
        expect(len(jobs) == len(set(jobs)), 'submitted twice: {}'.format(jobs))
        if ended.returncode == 0:
            expect(len(jobs) == 2, 'status 0, and {} jobs'.format(len(jobs)))


class SubmitArray(Submit):
    """epochcast-jobs submit --array."""

    def command(self):
        return super().command() + ['--array']

    def check(self, ended, faulty):
        jobs = open(self.safe / 'queue').read().splitlines()
        expect(len(jobs) <= 1, 'submitted twice: {}'.format(jobs))
        expect(ended.returncode != 0 or len(jobs) == 1, 'status 0, and no job')


class Resubmit(Submit):
    """epochcast-jobs resubmit, of jobs that Slurm does not know."""

    def prepare(self):
        super().prepare()
        self.must(*super().command())
        (self.safe / 'queue').write_text('')

    def command(self):
        return [self.bin / 'epochcast-jobs', 'resubmit', 'work/out', '--missing']


class Import(Scenario):
    """epochcast-analyze import log."""

    def prepare(self):
        lines = ['2026-03-0{} 10:0{}:00 Epoch {}/4 loss: 0.{}'.format(1, i, i, i) for i in range(1, 5)]
        (self.safe / 'train.log').write_text('\n'.join(['2026-03-01 10:00:00 start'] + lines) + '\n')

    def command(self):
        return [self.bin / 'epochcast-analyze', 'import', 'log', 'safe/train.log', '-o', 'work/records']

    def check(self, ended, faulty):
        if ended.returncode == 0:
            self.check_records(self.work / 'records')
            expect(len(list((self.work / 'records').glob('*.h5'))) == 1, 'status 0, and no record')


class Tables(Import):
    """epochcast-analyze: a table, a CSV export and the report, into files."""

    def prepare(self):
        super().prepare()
        self.must(self.bin / 'epochcast-analyze', 'import', 'log', 'safe/train.log', '-o', 'safe/records')

    def command(self):
        return [self.bin / 'epochcast-analyze', 'report', 'safe/records', '-o', 'work/report.html']

    def check(self, ended, faulty):
        report = self.work / 'report.html'
        if report.exists():
            expect(report.read_text(errors='replace').rstrip().endswith('</html>'), 'half a report')
        expect(ended.returncode != 0 or report.exists(), 'status 0, and no report')


class Produce(Scenario):
    """epochcast-stream produce, into a folder."""

    def command(self):
        return [self.bin / 'epochcast-stream', 'produce', '--to=folder:work/stream', '--items=random', '--batches=4', '--every=0s']

    def check(self, ended, faulty):
        batches = sorted(path.name for path in (self.work / 'stream').rglob('*') if path.is_file() and not path.name.startswith('.')) \
            if (self.work / 'stream').exists() else []
        if ended.returncode == 0:
            expect(len(batches) >= 4, 'status 0, and {}'.format(batches))


class Consume(Scenario):
    """The consumer of a stream, as that of epochcast-train, with answers that are known. It waits for space."""
    patience_s = 10

    def prepare(self):
        self.must(self.bin / 'epochcast-stream', 'produce', '--to=folder:work/stream', '--items=random', '--batches=4', '--batch=2',
                  '--every=0s')

    def command(self):
        self.attempt += 1
        return [self.bin / 'known_consumer', '--from=folder:work/stream', '--journal=work/journal.sqlite', '--kind=picture',
                '--batches=4', '--records=work/records', '--work=work/w', '--point=p', '--telemetry=0s']

    def check(self, ended, faulty):
        self.check_records(self.work / 'records')
        if ended.returncode == 0:
            answers = list(csv.DictReader(self.must(self.bin / 'epochcast-stream', 'results', 'work/journal.sqlite').splitlines()))
            items = [(answer['batch_id'], answer['position']) for answer in answers]
            expect(len(items) == len(set(items)) == 20, 'status 0, and the answers are {}'.format(items))


class Load(Scenario):
    """epochcast-load, with a service that it starts and stops."""

    def command(self):
        self.attempt += 1
        return [self.bin / 'epochcast-load', '--records=work/records', '--point=p', '--telemetry=0s',
                '--address-file=work/address', '--stages=40/s:0.3s', '--', self.bin / 'known_service', '--port=0',
                '--address-file=work/address', '--a=1ms', '--c=0s']

    def check(self, ended, faulty):
        self.check_records(self.work / 'records')


class Train(Scenario):
    """epochcast-train, which keeps checkpoints."""

    def command(self):
        self.attempt += 1
        return [self.bin / 'epochcast-train', '--model=mlp', '--dataset=disc', '--batch=100', '--epochs=3', '--records=work/records',
                '--work=work/w', '--point=p', '--telemetry=0s', '--resume=true']

    def check(self, ended, faulty):
        self.check_records(self.work / 'records')


SCENARIOS = {scenario.__name__: scenario for scenario in
             (Record, Generate, RunHere, Close, Plan, Notify, Submit, SubmitArray, Resubmit, Import, Tables, Produce, Consume, Load,
              Train)}


def site_of(call):
    """Calls of the same kind on the same kind of file are one site: numbers and hashes go."""
    name, _, path = call.partition(' ')
    return name, re.sub(r'[0-9a-f]{8,}|\d+', '#', path)


def chosen(calls, long):
    """(number, kind): of every site the first and the last call, each with one kind in turn; all of them if `long`."""
    if long:
        return list(itertools.product(range(1, len(calls) + 1), KINDS))
    places = {}
    for number, call in enumerate(calls, 1):
        places.setdefault(site_of(call), []).append(number)
    turn = itertools.cycle(KINDS)
    picked = []
    for numbers in places.values():
        for number in sorted({numbers[0], numbers[-1]}):
            picked.append((number, next(turn)))
    return picked


class Bench:
    def __init__(self, bin_folder, library):
        self.bin, self.library = bin_folder, library

    def run_with(self, scenario, kind, number):
        counter = scenario.folder / 'counter'
        counter.write_bytes(bytes(8))
        fault = '{} {} {} {}'.format(kind, number, counter, scenario.work)
        ended = scenario.run(scenario.command(), LD_PRELOAD=str(self.library), EPOCHCAST_FAULT=fault)
        calls = counter.with_suffix('.calls')
        return ended, [line.replace(str(scenario.work), '') for line in calls.read_text(errors='replace').splitlines()] \
            if calls.exists() else []

    def calls_of(self, kind_of_scenario):
        """Of a run without a fault, and how long it takes."""
        with tempfile.TemporaryDirectory(prefix='epochcast-faults-') as folder:
            scenario = kind_of_scenario(self.bin, pathlib.Path(folder))
            began = time.monotonic()
            ended, calls = self.run_with(scenario, 'EIO', 0)
            whole_s = time.monotonic() - began
            expect(ended.returncode == 0, 'without a fault: status {}: {}'.format(ended.returncode, ended.stderr))
            scenario.check(ended, False)
            return calls, whole_s

    def try_fault(self, kind_of_scenario, number, kind):
        """The exit status under the fault. Raises Wrong."""
        with tempfile.TemporaryDirectory(prefix='epochcast-faults-') as folder:
            scenario = kind_of_scenario(self.bin, pathlib.Path(folder))
            ended, _ = self.run_with(scenario, kind, number)
            return self.go_on(scenario, ended, kind in KILLED)

    def go_on(self, scenario, ended, may_be_killed=False):
        """After a fault."""
        status = ended.returncode
        expect(status in (0, 1, 2, 75) or (may_be_killed and status in (-9, 137)), 'status {}: {}'.format(status, ended.stderr[-300:]))
        expect(status in (0, 75, -9, 137) or ended.stderr.strip(), 'failed without a word')
        expect('terminate called' not in ended.stderr and 'Traceback' not in ended.stderr, ended.stderr[-300:])
        scenario.check(ended, True)
        again = scenario.run(scenario.command())
        if again.returncode != 0:  # what a kill left may be closed by the first call
            again = scenario.run(scenario.command())
        expect(again.returncode == 0, 'afterwards: status {}: {}'.format(again.returncode, again.stderr[-300:]))
        scenario.check(again, False)
        return status

    def try_kill(self, kind_of_scenario, after_s, all_of_it):
        """At that time after its start."""
        with tempfile.TemporaryDirectory(prefix='epochcast-faults-') as folder:
            scenario = kind_of_scenario(self.bin, pathlib.Path(folder))
            command = scenario.command()
            status = scenario.killed(command, after_s, all_of_it)
            said = (scenario.folder / 'said').read_text(errors='replace')
            return self.go_on(scenario, subprocess.CompletedProcess(command, status, stderr=said), may_be_killed=True)

    def try_full_disk(self, kind_of_scenario, pages):
        """With so many pages left, and again with space."""
        with tempfile.TemporaryDirectory(prefix='epochcast-faults-') as folder:
            try:
                scenario = kind_of_scenario(self.bin, pathlib.Path(folder), disk=True)
                filler = scenario.work / 'filler'
                left = os.statvfs(scenario.work).f_bavail - pages
                filler.write_bytes(bytes(left * os.sysconf('SC_PAGESIZE')))
                ended = scenario.run(scenario.command())
                filler.unlink()
                return self.go_on(scenario, ended)
            finally:
                subprocess.run(['umount', pathlib.Path(folder) / 'work'], check=True)


def option(name, default):
    return next((word.split('=', 1)[1] for word in sys.argv if word.startswith('--{}='.format(name))), default)


def main():
    words = [word for word in sys.argv[1:] if not word.startswith('--')]
    part, parts = map(int, option('part', '1/1').split('/'))
    seed = int(option('seed', random.randrange(10**6)))
    moments = random.Random(seed)
    long = '--long' in sys.argv or bool(os.environ.get('EPOCHCAST_LONG'))
    bench = Bench(pathlib.Path(words[0]).resolve(), pathlib.Path(words[1]).resolve())
    wrong = []
    kills = int(option('kills', -(-1200 // len(SCENARIOS)) if long else 2))  # of a scenario
    print('seed {}'.format(seed))
    print('{:<12} {:>6} {:>6} {:>7} {:>7} {:>7} {:>6}'.format('scenario', 'calls', 'sites', 'faults', 'failed', 'killed', 'wrong'))
    for name in words[2:] or list(SCENARIOS)[part - 1::parts]:
        if name == 'Train' and not (bench.bin / 'epochcast-train').exists():
            print('{:<12} skipped: no epochcast-train in this build'.format(name))
            continue
        calls, whole_s = bench.calls_of(SCENARIOS[name])
        if '--table' in sys.argv:
            for site in sorted(set(map(site_of, calls))):
                print('  {:<10} {}'.format(*site))
        counts = {'failed': 0, 'killed': 0, 'wrong': 0}
        faults = chosen(calls, long)
        tries = [('call {} ({}), {}'.format(number, calls[number - 1], kind), bench.try_fault, (number, kind)) for number, kind in faults]
        if os.geteuid() == 0:
            tries += [('{} pages left'.format(pages), bench.try_full_disk, (pages,)) for pages in (range(0, 320, 4) if long else (0, 9, 160))]
        for _ in range(kills):
            after_s, all_of_it = moments.uniform(0, whole_s), moments.random() < 0.5
            tries.append(('killed after {:.3f} s{}'.format(after_s, ', with all that it started' * all_of_it), bench.try_kill,
                          (after_s, all_of_it)))
        for what, attempt, words_of_it in tries:
            try:
                status = attempt(SCENARIOS[name], *words_of_it)
                counts['failed'] += status in (1, 2)
                counts['killed'] += status in (-9, 137)
            except Wrong as error:
                counts['wrong'] += 1
                wrong.append('{}: {}: {}'.format(name, what, error))
                print('  ' + wrong[-1], flush=True)
        print('{:<12} {:>6} {:>6} {:>7} {:>7} {:>7} {:>6}'.format(
            name, len(calls), len(set(map(site_of, calls))), len(tries), counts['failed'], counts['killed'], counts['wrong']), flush=True)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
