#!/usr/bin/env python3
"""Every file and folder that a program reads, and every bad state of it: a command ends soon, in bounded memory, with a status
that tells, and a line that says why.

usage: tests/faults/readers.py BIN [--long] [SCENARIO...]

A scenario is a folder that the programs wrote, and commands that read it. The places are the files and folders in it: a new
file is a new row by itself. Each command reads each place in each state (--long), or every third pair of them has one command
in turn. As root, the commands run without the right to pass over permissions.
"""
import itertools
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import faults
from faults import Wrong, expect

HUGE = 2 << 30  # bytes, in a sparse file
MOST_MEMORY = 1 << 30
# root without its right to pass over permissions
PREFIX = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] if os.getuid() == 0 else []


def removed(path):
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def replaced(make):
    def state(path, aside):
        path.rename(aside)
        make(path, aside)
    return state


def half(path, aside):
    if path.is_dir():
        removed(next(iter(sorted(path.iterdir())), path))
    else:
        os.truncate(path, path.stat().st_size // 2)


def huge(path, aside):
    os.truncate(path, HUGE) if path.is_file() else None


def loop(path, aside):
    removed(path)
    path.symlink_to(path.name)


STATES = {
    'missing': lambda path, aside: removed(path),
    'empty': replaced(lambda path, aside: path.mkdir() if aside.is_dir() else path.touch()),
    'half': half,
    'huge': huge,
    'link': replaced(lambda path, aside: path.symlink_to(aside)),
    'dangling': lambda path, aside: (removed(path), path.symlink_to('nowhere')),
    'loop': loop,
    'FIFO': replaced(lambda path, aside: os.mkfifo(path)),
    'folder': replaced(lambda path, aside: path.touch() if aside.is_dir() else path.mkdir()),  # and a file in place of a folder
    'denied': lambda path, aside: path.chmod(0),
    'device': replaced(lambda path, aside: path.symlink_to('/dev/zero')),
}


class Records(faults.Tables):
    """epochcast-analyze, on records, and on logs of others."""

    def prepare(self):
        super().prepare()
        self.must(self.bin / 'epochcast-analyze', 'import', 'log', 'safe/train.log', '-o', 'work/records')
        self.must(self.bin / 'epochcast-run', '--records=work/records', '--work=safe/w', '--point=p', '--telemetry=0s', '--', 'sh',
                  '-c', faults.PROGRAM)
        shutil.copy(self.safe / 'train.log', self.work / 'train.log')
        (self.work / 'jobs.txt').write_text('JobID|JobName|State|Submit|Start|End|Elapsed\n'
                                            '7|a|COMPLETED|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T00:02:00|00:01:00\n')
        (self.work / 'rows.csv').write_text('run,epoch,duration_s\na,0,1.5\na,1,1.5\n')
        (self.work / 'events.jsonl').write_text('{"event":"epoch","epoch":0,"time":1}\n{"event":"epoch_end","epoch":0,"time":2}\n')
        run = self.work / 'mlruns/0/run'
        for name, text in {'meta.yaml': 'name: a\nstatus: 3\n', 'params/lr': '0.1', 'metrics/loss': '1700000000000 0.5 0\n'}.items():
            (run / name).parent.mkdir(parents=True, exist_ok=True)
            (run / name).write_text(text)

    def commands(self):
        analyze = self.bin / 'epochcast-analyze'
        importers = {'log': 'train.log', 'sacct': 'jobs.txt', 'csv': 'rows.csv', 'events': 'events.jsonl', 'mlflow': 'mlruns'}
        return [[analyze, *words] for words in (
            ['table', 'runs', 'work/records'], ['table', 'lab', 'work/records', '--format', 'csv'], ['verify', 'work/records'],
            ['plot', 'lab', 'work/records', '-o', 'made/a.svg'], ['predict', 'work/records', '--epochs', '9'],
            ['salvage', 'work/records'], ['export', 'csv', 'work/records', '-o', 'made/csv'],
            ['report', 'work/records', '-o', 'made/report.html'], *(['import', kind, 'work/' + file, '-o', 'made/' + kind]
                                                                    for kind, file in importers.items()))]


class Campaign(faults.Plan):
    """epochcast-jobs, on a campaign that ran."""

    def prepare(self):
        super().prepare()
        self.must(self.bin / 'epochcast-jobs', 'run', 'work/out')
        for name in ('x.yaml', 'c.yaml'):
            shutil.copy(self.safe / name, self.work / name)

    def commands(self):
        jobs = self.bin / 'epochcast-jobs'
        inputs = ['work/x.yaml', '--cluster', 'work/c.yaml']
        return [[jobs, *words] for words in (
            ['status', 'work/out'], ['run', 'work/out'], ['resubmit', 'work/out'], ['cancel', 'work/out'], ['check', 'work/out'],
            ['logs', 'work/out'], ['notify', 'work/out', '--test'],
            ['generate', *inputs, '-o', 'made/out'], ['generate', *inputs, '-o', 'work/out'],
            ['plan', *inputs, '-o', 'made/out', '--dry-run'],
            ['advise', *inputs, '--epochs', '9', '--from', 'work/out'])] + [
                [self.bin / 'epochcast-analyze', 'table', 'ledger', 'work/out/ledger.csv'],
                [self.bin / 'epochcast-analyze', 'report', 'work/out', '-o', 'made/report.html']]


class Submitted(faults.Submit):
    """epochcast-jobs, on a campaign whose jobs wait."""

    def prepare(self):
        super().prepare()
        self.must(*super().command())

    def commands(self):
        return [[self.bin / 'epochcast-jobs', *words] for words in (
            ['status', 'work/out'], ['submit', 'work/out'], ['resubmit', 'work/out', '--missing'], ['cancel', 'work/out', '--dry-run'],
            ['check', 'work/out'])]


class Stream(faults.Consume):
    """A stream: its batches, the journal of its consumer, and the files that its programs are told of."""

    def prepare(self):
        super().prepare()
        shutil.copytree(self.work / 'stream', self.work / 'again')
        self.must(*self.command())
        shutil.copy(next((self.work / 'stream').rglob('*.json')), self.work / 'items.json')
        (self.work / 'address').write_text('tcp://127.0.0.1:9\n')

    def commands(self):
        stream, consumer = self.bin / 'epochcast-stream', self.bin / 'known_consumer'
        to_end = ['--kind=picture', '--records=made/records', '--work=made/w', '--point=p', '--telemetry=0s', '--batches=4', '--idle=1s']
        return [[stream, 'results', 'work/journal.sqlite'],
                [stream, 'produce', '--to=folder:made/stream', '--items', 'work/items.json', '--batches=1', '--every=0s'],
                [stream, 'produce', '--to=folder:work/again', '--items=random', '--batches=4', '--every=0s', '--window=5'],
                [consumer, '--from=folder:work/again', '--journal=made/journal.sqlite', *to_end],
                [consumer, '--from=folder:made/none', '--journal', 'work/journal.sqlite', *to_end],
                [self.bin / 'epochcast-analyze', 'table', 'streaming', 'work/records']]


SCENARIOS = {scenario.__name__: scenario for scenario in (Records, Campaign, Submitted, Stream)}


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (4 * MOST_MEMORY,) * 2)  # not the machine's


def tried(scenario, command):
    """Exit status, what was said, seconds, peak bytes."""
    said = scenario.folder / 'said'
    with open(said, 'w') as output:
        begin = time.monotonic()
        child = subprocess.Popen(PREFIX + [str(word) for word in command], cwd=scenario.folder, stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=output, preexec_fn=limited, start_new_session=True,
                                 env={'PATH': os.environ['PATH'], **scenario.environment()})
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - begin > 60:
                os.killpg(child.pid, 9)
                os.wait4(child.pid, 0)
                raise Wrong('does not end')
            time.sleep(0.002)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, said.read_text(errors='replace'), time.monotonic() - begin, usage.ru_maxrss * 1024


def restored(scenario):
    """The folder as the programs left it."""
    for name in ('work', 'made', 'aside'):
        path = scenario.folder / name
        path.chmod(0o700) if path.is_dir() and not path.is_symlink() else None
        removed(path) if path.exists() or path.is_symlink() else None
    shutil.copytree(scenario.folder / 'good', scenario.work, symlinks=True)
    (scenario.folder / 'made').mkdir()


def reads(command, place):
    """Whether the command is given the place, or the folder that it is in."""
    words = [str(word).split(':', 1)[-1] for word in command]
    return any(word.startswith('work/') and ('work/' + place + '/').startswith(word + '/') for word in words)


def try_state(scenario, place, state, command):
    restored(scenario)
    STATES[state](scenario.work / place, scenario.folder / 'aside')
    status, said, seconds, memory = tried(scenario, command)
    if '--verbose' in sys.argv:
        print('{:>4} {:5.2f} s {:5} MiB  {} {}: {}: {}'.format(status, seconds, memory >> 20, place, state, ' '.join(map(
            str, command[1:])), said[-500:].strip().replace('\n', '\n        ')), flush=True)
    expect(status in (0, 1, 2), 'status {}: {}'.format(status, said[-300:]))
    expect(status == 0 or said.strip(), 'failed without a word')
    expect(not re.search('terminate called|bad_alloc|basic_string|out of memory', said), said[-300:])
    expect(state != 'denied' or status == 0 or 'ermission denied' in said or "has no 'notify:'" in said, 'does not say why: ' + said[-300:])
    expect(memory < MOST_MEMORY, '{} MiB: {}'.format(memory >> 20, said[-300:]))
    return status


def main():
    words = [word for word in sys.argv[1:] if not word.startswith('--')]
    long = '--long' in sys.argv or bool(os.environ.get('EPOCHCAST_LONG'))
    wrong = 0
    print('{:<12} {:>6} {:>8} {:>6} {:>7} {:>6}'.format('scenario', 'places', 'commands', 'tried', 'refused', 'wrong'))
    for name in words[1:] or SCENARIOS:
        with tempfile.TemporaryDirectory(prefix='epochcast-readers-') as folder:
            scenario = SCENARIOS[name](pathlib.Path(words[0]).resolve(), pathlib.Path(folder))
            places = {}
            for path in sorted(scenario.work.rglob('*')):  # of files of a kind the first
                relative = str(path.relative_to(scenario.work))
                places.setdefault(re.sub(r'[0-9a-f]{8,}|\d+', '#', relative), relative)
            scenario.work.rename(scenario.folder / 'good')
            commands = scenario.commands()
            turn = itertools.count()
            tries = []
            for place in places.values():
                readers = [command for command in commands if reads(command, place)] or [None]
                for state in STATES:
                    number = next(turn)
                    chosen = readers if long else [readers[number // 3 % len(readers)]] if number % 3 == 0 else []
                    tries += [(place, state, command) for command in chosen if command]
            refused, wrong_before = 0, wrong
            for place, state, command in tries:
                try:
                    refused += try_state(scenario, place, state, command) != 0
                except Wrong as error:
                    wrong += 1
                    print('  {}: {}, {}, {}: {}'.format(name, place, state, ' '.join(map(str, command[1:])), error), flush=True)
        print('{:<12} {:>6} {:>8} {:>6} {:>7} {:>6}'.format(name, len(places), len(commands), len(tries), refused,
                                                           wrong - wrong_before), flush=True)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
