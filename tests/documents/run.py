#!/usr/bin/env python3
"""Runs the commands of documents, and compares what they print with what the documents show.

usage: tests/documents/run.py [--slurm] [--update] PROGRAMS DOCUMENT...

A block of `bash` is run in a new home folder, with the folder PROGRAMS on PATH, until a command fails. The block without a
language right after it is its output; without one, all must succeed. Of the output, words and order must be the same, measured values (VALUES below) have the same form; '...' stands for what is
left out, in a line or as a line. A block of `yaml` becomes the file that its first comment or the paragraph before names.
A comment before a block of `bash`: `<!-- not run: WHY -->`, or `<!-- on Slurm -->`: as a user of the test cluster, with
--slurm alone. --update, or UPDATE_GOLDEN in the environment, writes the real output into the document.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / 'tests/slurm/slurm-lab'
SKIPPED = 77  # ctest's SKIP_RETURN_CODE
PROGRAMS = ['epochcast-analyze', 'epochcast-jobs', 'epochcast-run', 'epochcast-train']
# Threads that spin while they wait would take the CPU from others.
SETTINGS = ['COLUMNS=100', 'LANG=C.UTF-8', 'OMP_WAIT_POLICY=passive', 'GOMP_SPINCOUNT=0']
ICONS = Path('/usr/share/icons/oxygen/base/64x64')

FENCE = re.compile(r'^```(\w*)\n(.*?)^```$', re.M | re.S)
MARK = re.compile(r'<!-- (?:not run: (?P<why>.*)|(?P<slurm>on Slurm)) -->\s*\Z')
FILE = re.compile(r'[\w-]+\.yaml')

# What differs between two runs: what each part of a line in a document matches in real output.
VALUES = {
    'gap': r'\.\.\.',
    'rule': r'-{5,}',
    'time': r'\d{4}-\d\d-\d\d(?:T[\d:+]+)?|\b\d+:\d\d(?::\d\d)?\b',
    'epoch': r'\b\d+(?=/\d+\s+(?:\.\.\.|\d+:\d\d:))|(?<=in epoch )\d+|\b\d+(?= iterations? into)',
    'hash': r'(?<=\.r\d-)[0-9a-z]{10}\b',
    'job': r'(?<=[0-9a-z]{8}-)(?:local-[\d-]+|\d+)\b|\blocal-\d+-\d+|(?<=[Jj]ob )\d+',
    'duration': r'\b\d+(?:\.\d+)? ?(?:ms|[smhd])(?:\d+(?:ms|[smhd]))*\b',
    'size': r'(?<=memory )\d+[MG]\b',
    'number': r'[+-]?\b\d+\.\d+\b',
    'class': r'\b(?:warm-up|flat|drifting|periodic)(?!.)',
    'sign': r'\btoo (?:long|short)\b',
}
VALUE = re.compile('|'.join('(?P<%s>%s)' % value for value in VALUES.items()))
# What only a slow or busy machine prints.
BUSY = re.compile(r'^epochcast-jobs: \d+/\d+ \S+: epoch \d+ of .* left.*\n|^(?!\*|.*; its pilot).*\b(?:was|points?) disturbed\b.*\n'
                  r'|; its pilot was disturbed: .*| \(DISTURBED times: [^)]*\)', re.M)
UNSTEADY = 'no steady state'  # why there is no forecast where the speed of the machine changed: then all is run again


def literal(text):
    return re.sub(r'(?:\\? )+', '[ \\\\t]+', re.escape(text))


def line_pattern(line, name):
    """A pattern for a printed line; its group is `name`, those of what is left out are `name`_0, `name`_1, ..."""
    parts, end, gaps = [], 0, 0
    for value in VALUE.finditer(line := line.strip()):
        parts.append(literal(line[end:value.start()]))
        if value.lastgroup == 'gap':
            parts.append('(?P<%s_%d>.*)' % (name, gaps))
            gaps += 1
        else:
            parts.append('(?:%s)' % VALUES[value.lastgroup])
        end = value.end()
    return '(?P<%s>[ \\t]*%s)\n' % (name, ''.join(parts) + literal(line[end:]))


def block_pattern(shown):
    return re.compile(''.join('(?:.*\n)*?' if line.strip() == '...' else line_pattern(line, 'line%d' % i)
                              for i, line in enumerate(shown.splitlines())))


def updated(shown, printed):
    """The block of the document with the values of this run; all that was printed, where something else has changed."""
    match = block_pattern(shown).fullmatch(printed)
    if not match:
        return printed
    lines = []
    for i, line in enumerate(shown.splitlines()):
        if line.strip() != '...':
            start, line = match.start('line%d' % i), match['line%d' % i]
            for gap in reversed([group for group in match.groupdict() if group.startswith('line%d_' % i)]):
                line = line[:match.start(gap) - start] + '...' + line[match.end(gap) - start:]
        lines.append(line + '\n')
    return ''.join(lines)


def difference(shown, printed):
    lines = printed.splitlines(keepends=True)
    missing = [line for line in shown.splitlines() if line.strip() != '...'
               and not any(re.fullmatch(line_pattern(line, 'line'), other) for other in lines)]
    return 'not printed: %s\nprinted:\n%s' % ('\n             '.join(missing) or '(these lines in this order)', printed)


@contextmanager
def on_this_machine(programs):
    """A new home folder, and the command line that runs a block there."""
    with tempfile.TemporaryDirectory(prefix='epochcast-document-') as home:
        path = 'PATH=%s:%s' % (programs, os.environ['PATH'])
        yield Path(home), ['env', '-i', 'HOME=' + home, path, *SETTINGS, 'bash', '-e', '-c']


@contextmanager
def on_slurm(programs):
    """The same for the user alice of a Slurm cluster that ends with the test."""
    lab = '/var/tmp/epochcast-slurm-%d' % os.getpid()
    os.environ.update(SLURM_LAB_DIR=lab, SLURM_LAB_SHOW=str(ROOT), SLURM_LAB_OWNER=str(os.getpid()))
    possible = subprocess.run([LAB, 'possible'], stderr=subprocess.PIPE, text=True)
    if possible.returncode:
        print('no real Slurm on this machine:', possible.stderr)
        sys.exit(1 if 'EPOCHCAST_REQUIRE_SLURM' in os.environ else SKIPPED)
    subprocess.run([LAB, 'up'], check=True)
    try:
        path = 'PATH=%s:%s' % (programs, os.environ['PATH'])
        yield Path(lab, 'home/alice'), [LAB, 'exec', '-u', 'alice', 'env', path, *SETTINGS, 'bash', '-e', '-c']
    finally:
        subprocess.run([LAB, 'down'], check=True)


def prepare(home, on_cluster):
    """What the reader has: a script, a profile, the experiments of the clone, a few pictures."""
    shutil.copytree(ROOT / 'tests/documents/reader', home, dirs_exist_ok=True)
    (home / 'experiments').mkdir()
    for file in (ROOT / 'experiments').glob('*.yaml'):
        # The GPUs of the test cluster are claimed only.
        (home / 'experiments' / file.name).write_text(file.read_text() + ('device: cpu\n' if on_cluster else ''))
    (home / 'pokemon').mkdir()
    for icon in sorted(ICONS.rglob('*.png'))[:4]:
        shutil.copy(icon, home / 'pokemon')
    subprocess.run(['chown', '-R', '--reference', home, home], check=True)


Block = namedtuple('Block', 'line body file runs mark output')


def blocks_of(text):
    """Blocks of bash with the block of their output, blocks of yaml that are a file, and blocks that show other output."""
    found = list(FENCE.finditer(text))
    outputs = set()
    for this, after in zip(found, [*found[1:], None]):
        before = text[:this.start()]
        language, body = this.groups()
        output, file = None, None
        if language == 'bash' and after and not after[1] and not text[this.end():after.start()].strip():
            output = after
            outputs.add(after.start())
        if language == 'yaml':
            named_in = body.splitlines()[0] if body.startswith('# ') else before.rstrip().split('\n\n')[-1]
            file = (FILE.findall(named_in) or [None])[-1]
        if language == 'bash' or file or not (language or this.start() in outputs):
            yield Block(before.count('\n') + 1, body, file, language == 'bash', MARK.search(before), output)


def run_document(document, on_cluster, update, home, command):
    """Runs the blocks of a document in order: its text with the values of this run, and what is wrong."""
    text = document.read_text()
    edits, wrong, ran = [], [], 0
    for block in blocks_of(text):
        place = '%s:%d' % (document, block.line)
        if block.file:
            (home / block.file).write_text(block.body)
        elif not block.runs:
            print('%s: not compared: no command right before it' % place)
        elif block.mark and block.mark['why']:
            print('%s: not run: %s' % (place, block.mark['why']))
        elif bool(block.mark) != on_cluster:
            print('%s: runs %s' % (place, 'on Slurm, with --slurm' if block.mark else 'without --slurm'))
        else:
            ran += 1
            result = subprocess.run([*command, block.body], cwd=home, text=True, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            printed = BUSY.sub('', result.stdout)
            if not block.output:
                wrong += ['%s: status %d\n%s' % (place, result.returncode, result.stdout)] * bool(result.returncode)
                continue
            shown = block.output[2]
            edits.append((block.output.span(2), updated(shown, printed)))
            if UNSTEADY in printed or not update and not block_pattern(shown).fullmatch(printed):
                wrong.append('%s: the output differs\n%s' % (place, difference(shown, printed)))
    print('%s: %d blocks run, %d outputs compared' % (document, ran, len(edits)))
    for (start, end), new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text, wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1])
    parser.add_argument('--slurm', action='store_true')
    parser.add_argument('--update', action='store_true', default='UPDATE_GOLDEN' in os.environ)
    parser.add_argument('programs', type=Path)
    parser.add_argument('documents', type=Path, nargs='+')
    options = parser.parse_args()
    programs = options.programs.resolve()
    if not all((programs / name).exists() for name in PROGRAMS):
        print('not built: one of', *PROGRAMS)
        sys.exit(SKIPPED)
    wrong = []
    for document in options.documents:
        for _ in range(3):
            with (on_slurm if options.slurm else on_this_machine)(programs) as (home, command):
                prepare(home, options.slurm)
                text, found = run_document(document, options.slurm, options.update, home, command)
            if not any(UNSTEADY in reason for reason in found):
                break
            print('the speed of this machine changed during a run, so there is no forecast: again')
        wrong += found
        if options.update and not found:
            document.write_text(text)
    print(*wrong, sep='\n')
    sys.exit(bool(wrong))


if __name__ == '__main__':
    main()
