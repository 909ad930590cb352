#!/usr/bin/env python3
"""Scores forecasts, and simple rules beside them, on measured data: errors, what the intervals hold, refusals.

usage: tests/bench/score.py BUILD KIND FILE [--seen K]... [--learn FILE]... [--apart] [--csv FOLDER]

KIND: epochs      all epochs of a run from its first K (default 1, 2, 3, 5): path,dur_s[,repo,kind,submitter,system,benchmark,
                  seq,start_ms,work]
      runs        whole runs, with start-up, pauses and end: path,dur_s,start_ms,run_start_ms,run_stop_ms[,...]
      blocks      all blocks of a run, and the pauses: path,dur_s,start_ms,work[,...,eval_s]
      steps       all steps of a run, and the evaluations between them (100): path,time_ms,step_time_s
      iterations  the rest of a run from its first iterations (10, 50, 100): run,duration_s[,iteration,samples]
      scaling     the throughput of the most workers from that of all fewer: workload,n,throughput[,nodes]
      surface     the time of a step at a setting that was not run, from the others: workload,step_s[,device,batch,input_length,
                  flops,layers,threads,workers,nodes,tensor_parallel,pipeline_parallel,micro_batch]
      layouts     the time of an iteration at a layout of a large model, from others: gpus,global_batch,micro_batch,tp,pp,
                  iteration_ms[,workload,set,hidden,heads,layers,length]
      memory      the most memory of a run at a setting from that at other settings: network,batch,peak_bytes[,length,parameters,
                  activations]
      devices     a workload's time on one device from that on another, tier by tier: workload,device,time_ms[,batch,precision,
                  flops,bytes], or a table of DeepBench or Gavel
      waits       the wait of a job in the queue from the waits of earlier ones: a history of 'import sacct', or submit,start_after_s,
                  elapsed_s,limit_s,partition,account,nodes,cpus,gpus,state[,eligible_after_s]
      history     the run time of a job and the limit it needs from earlier ones: the same columns

Forecasts are those of BUILD/bin/epochcast-analyze predict. Files may be compressed. --learn (epochs, runs, blocks, steps,
devices): also score intervals that are learned from this file; of waits and history: earlier jobs, only learned from. --apart
(epochs, runs): also forecast each run from runs of the same benchmark on other systems, and of other submitters. Tables are
printed as Markdown; --csv writes them into a folder.

Errors are |forecast - actual| / actual in % (bias: with its sign), a half-width is (high - low) / 2 / forecast, percentiles are
interpolated between ranks. A method is scored on what it answered; what it refused is counted beside it.
"""
import argparse
import bisect
import csv
import gzip
import hashlib
import json
import math
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Callable, NamedTuple, Optional

ALIKE = 0.06  # nominally equal machines differ by so much (machine_tolerance)
FEWEST_EPOCHS, FEWEST_UNSEEN, FEWEST_PAST = 5, 3, 20
TWELVE = 'seen + rest x mean of the later half'


class Prediction(NamedTuple):
    """A value with its intervals of 80 and 95 %: (low, high) or None."""
    value: float
    of_80: Optional[tuple] = None
    of_95: Optional[tuple] = None

    def mapped(self, change):
        return Prediction(change(self.value), *(interval and tuple(map(change, interval)) for interval in self[1:]))


class Rows:
    """A CSV file, compressed or not, and what cannot be used of it."""

    def __init__(self, path, *needed):
        self.path, self.excluded = str(path), []
        with (gzip.open if self.path.endswith('.gz') else open)(path, 'rt', newline='') as file:
            reader = csv.DictReader(file)
            self.columns = reader.fieldnames or []
            self.rows = [dict(row, line=reader.line_num) for row in reader]
        self.require(*needed)

    def require(self, *columns):
        missing = [name for name in columns if name not in self.columns]
        if missing:
            sys.exit(f'{self.path}:1: no column {missing[0]!r}')

    def positive(self, row, column):
        value = number(row, column)
        if value is None or value <= 0:
            self.exclude(row, f'{column}: found {row.get(column, "")!r}, expected a number above 0')
            return None
        return value

    def exclude(self, row, why):
        self.excluded.append(f'{self.path}:{row["line"]}: {why}')

    def notes(self):
        count = len(self.excluded)
        return [f'{count} row{"s" * (count > 1)} left out; the first: {self.excluded[0]}'] if count else []


def number(row, column):
    """The cell; None if it is empty or no finite number."""
    try:
        value = float(row.get(column) or '')
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def text(row, column):
    return row.get(column) or ''


def mean(values):
    return sum(values) / len(values)


def quantile(values, probability):
    values = sorted(values)
    rank = probability * (len(values) - 1)
    below = int(rank)
    return values[below] + (rank - below) * (values[min(below + 1, len(values) - 1)] - values[below])


def counted(count, what):
    return f'{count} {what}{"s" * (count != 1)}'


# ---------------------------------------------------------------- Scores, of any forecast

SCORES = {'n': 0, 'refused': 0, 'mean_percent': 2, 'median_percent': 2, 'p90_percent': 2, 'p95_percent': 2, 'max_percent': 1,
          'bias_percent': 2, 'covered_80_percent': 1, 'half_width_80_percent': 2, 'covered_95_percent': 1,
          'half_width_95_percent': 2}


class Table(NamedTuple):
    name: str
    title: str
    columns: dict  # key -> decimals; None: text
    rows: list
    notes: list = []

    def cell(self, row, key):
        """The number under `key` in the row of this method, or the first of these texts."""
        found = [one for one in self.rows if row in one.values()]
        return found[0].get(key)

    def texts(self):
        def shown(value, decimals):
            written = '' if value is None else str(value) if decimals is None else f'{value:.{decimals}f}'
            return written[1:] if written[:1] == '-' and not written.strip('-0.') else written
        return [[shown(row.get(key), decimals) for key, decimals in self.columns.items()] for row in self.rows]


def scores(actual, predictions):
    """What SCORES names."""
    pairs = [(prediction, value) for prediction, value in zip(predictions, actual) if prediction is not None]
    signed = [100 * (prediction.value - value) / value for prediction, value in pairs]
    row = {'n': len(pairs), 'refused': len(predictions) - len(pairs)}
    if signed:
        sizes = [abs(error) for error in signed]
        row |= {'mean_percent': mean(sizes), 'median_percent': quantile(sizes, 0.5), 'p90_percent': quantile(sizes, 0.9),
                'p95_percent': quantile(sizes, 0.95), 'max_percent': max(sizes), 'bias_percent': mean(signed)}
    for level in (80, 95):
        known = [(getattr(prediction, f'of_{level}'), prediction.value, value) for prediction, value in pairs
                 if getattr(prediction, f'of_{level}')]
        if known:
            row[f'covered_{level}_percent'] = 100 * mean([low <= value <= high for (low, high), _, value in known])
            row[f'half_width_{level}_percent'] = quantile([100 * (high - low) / 2 / value for (low, high), value, _ in known], 0.5)
    return row


def score_table(name, title, actual, methods, notes=()):
    """`methods`: name -> a prediction, or None, for each outcome."""
    return Table(name, title, {'method': None} | SCORES,
                 [{'method': method} | scores(actual, predictions) for method, predictions in methods.items()], list(notes))


def slice_table(name, title, actual, methods, slices):
    """`slices`: (by, what, numbers of outcomes)."""
    rows = [{'by': by, 'what': what, 'method': method} | scores([actual[i] for i in chosen], [predictions[i] for i in chosen])
            for method, predictions in methods.items() for by, what, chosen in slices if chosen]
    return Table(name, title, {'by': None, 'what': None, 'method': None} | SCORES, rows)


# ---------------------------------------------------------------- Logs of runs

@dataclass
class Run:
    """A run of the file; its units are epochs, blocks, steps or iterations, in their order."""
    path: str
    source: str = ''
    submitter: str = ''
    system: str = ''
    benchmark: str = ''
    unit_s: list = field(default_factory=list)
    overlaps: bool = False
    work: list = field(default_factory=list)
    start_s: list = field(default_factory=list)
    eval_s: list = field(default_factory=list)
    whole_s: Optional[float] = None

    def __post_init__(self):
        """SUBMITTER/results/SYSTEM/BENCHMARK/RUN, where the file does not say these."""
        parts = self.path.split('/')
        self.submitter = self.submitter.lower()
        if not self.submitter and not self.benchmark and len(parts) == 5 and parts[1] == 'results':
            self.submitter, self.system, self.benchmark = parts[0].lower(), parts[2], parts[3]

    @property
    def configuration(self):
        return f'{self.submitter}/{self.system}/{self.benchmark}'

    @property
    def pauses_s(self):
        ends = [start + unit for start, unit in zip(self.start_s, self.unit_s)]
        return [max(0.0, start - end) for start, end in zip(self.start_s[1:], ends)]

    @property
    def is_cut(self):
        """Whether it stopped within its last unit."""
        if len(self.unit_s) < 3:
            return False
        last = self.unit_s[-1]
        shorter, longer = sorted(self.unit_s[-3:-1])
        return longer <= (1 + ALIKE) * shorter and (1 + ALIKE) * last < min(self.unit_s[:-1])


ROUNDING_MS = 2  # stamps are rounded, and lengths are not always taken from the same stamps


def stamped(run, first, units, columns):
    """Starts of the units and the end of the run, if the file has all of them and they are in order."""
    starts = [number(row, 'start_ms') for _, _, row in units]
    has_run = 'run_start_ms' in columns
    from_ms = number(first, 'run_start_ms') if has_run else starts[0]
    to_ms = number(first, 'run_stop_ms')
    if None in (starts[0], starts[-1], from_ms) or (to_ms is None and has_run) or starts[0] < from_ms or (
            to_ms is not None and to_ms + ROUNDING_MS < starts[-1] + 1000 * run.unit_s[-1]):
        return
    if None not in starts:
        run.start_s = [(start - from_ms) / 1000 for start in starts]
        run.whole_s = None if to_ms is None else (to_ms - from_ms) / 1000


def read_epochs(path):
    """Runs by repository and path, the paths of runs that have other rows only, and notes."""
    file = Rows(path, 'path', 'dur_s')
    found = defaultdict(list)
    for row in file.rows:
        units = found[text(row, 'repo'), text(row, 'path')]
        seconds = file.positive(row, 'dur_s') if row.get('kind', 'epoch') == 'epoch' else None
        if seconds is not None:
            order = number(row, 'start_ms')
            order = number(row, 'seq') if order is None else order
            units.append((len(units) if order is None else order, seconds, row))
    runs, without = [], []
    for (repo, path), units in sorted(found.items()):
        if not units:
            without.append(path)
            continue
        first = units[0][2]
        units.sort(key=lambda unit: unit[0])
        run = Run(path, repo, *(text(first, name) for name in ('submitter', 'system', 'benchmark')), [unit[1] for unit in units])
        starts = [number(row, 'start_ms') for _, _, row in units]
        run.overlaps = any(None not in (before, start) and start < before + 1000 * seconds - ROUNDING_MS
                           for before, seconds, start in zip(starts, run.unit_s, starts[1:]))
        stamped(run, first, units, file.columns)
        work = [number(row, 'work') for _, _, row in units]
        if work[-1] is None and len(work) > 1:  # the last row may lack it
            work[-1] = work[-2]
        run.work = work if all(one is not None and one > 0 for one in work) else []
        evals = [number(row, 'eval_s') for _, _, row in units]
        run.eval_s = [] if None in evals else evals
        runs.append(run)
    return runs, without, file.notes()


def read_steps(path):
    """Marks that state the time of a step; a step starts by its time before its mark."""
    file = Rows(path, 'path', 'time_ms', 'step_time_s')
    found = defaultdict(list)
    for row in file.rows:
        marks = found[row['path']]
        step_s = file.positive(row, 'step_time_s') if row['step_time_s'] else None
        at_ms = None if step_s is None else file.positive(row, 'time_ms')
        if at_ms is not None:
            marks.append((at_ms / 1000, step_s))
    runs = []
    for path, marks in sorted(found.items()):
        marks.sort(key=lambda mark: mark[0])
        if marks:
            from_s = marks[0][0] - marks[0][1]
            runs.append(Run(path, unit_s=[step_s for _, step_s in marks],
                            start_s=[end_s - step_s - from_s for end_s, step_s in marks]))
    return runs, [path for path, marks in sorted(found.items()) if not marks], file.notes()


def read_iterations(path):
    file = Rows(path, 'run', 'duration_s')
    found = defaultdict(list)
    for row in file.rows:
        seconds = file.positive(row, 'duration_s')
        samples = file.positive(row, 'samples') if seconds is not None and 'samples' in file.columns else 0
        if seconds is not None and samples is not None:
            units = found[row['run']]
            order = number(row, 'iteration')
            units.append((len(units) if order is None else order, seconds, samples))
    runs = []
    for name, units in sorted(found.items()):
        units.sort(key=lambda unit: unit[0])
        runs.append(Run(name, unit_s=[unit[1] for unit in units],
                        work=[unit[2] for unit in units] if 'samples' in file.columns else []))
    return runs, [], file.notes()


# ---------------------------------------------------------------- What is asked, and simple rules

@dataclass
class Seen:
    """The first units of a run, as a rule sees them."""
    unit_s: list
    work: list
    pauses_s: list
    before_s: float
    units: int
    all_work: float
    ends_with_unit: bool

    def __post_init__(self):
        self.rates = [seconds / work for seconds, work in zip(self.unit_s, self.work)]
        self.left = self.all_work - sum(self.work)
        self.later = len(self.unit_s) - len(self.unit_s) // 2 if len(self.unit_s) > 1 else 0
        self.spent_s = self.before_s + sum(self.unit_s)

    def rest_of_later_half_s(self):
        return self.left * sum(self.unit_s[self.later:]) / sum(self.work[self.later:])


def later_half(seen):
    """The rule of twelve lines that every forecast has to be ahead of, with an interval up to a factor that is learned."""
    pauses_left = seen.units - seen.ends_with_unit - len(seen.pauses_s)
    paused_s = sum(seen.pauses_s) + (max(0, pauses_left) * mean(seen.pauses_s) if seen.pauses_s else 0)
    rest_s = seen.rest_of_later_half_s()
    total_s = seen.spent_s + rest_s + paused_s
    half_s = rest_s * (0.004 + (max(seen.rates) - min(seen.rates)) / mean(seen.rates[seen.later:]) / 2)
    return Prediction(total_s, *[(total_s - half_s, total_s + half_s)] * 2)


def block_rate(seen, first):
    """Seen, and for the rest the median rate of the blocks from `first` on, and the median pause."""
    pauses_s = (seen.units - len(seen.unit_s)) * quantile(seen.pauses_s, 0.5) if seen.pauses_s else 0
    return sum(seen.unit_s) + sum(seen.pauses_s) + seen.left * quantile(seen.rates[first:], 0.5) + pauses_s


@dataclass
class Kind:
    title: str
    unit: str
    seen: list
    read: Callable
    rules: dict  # name -> (fewest units seen, rule)
    why_not: Callable = lambda run: None  # not scored
    actual_s: Callable = lambda run: sum(run.unit_s)
    has_pauses: bool = True
    before_s: Callable = lambda run: 0
    end_s: Callable = lambda run: 0
    work: Callable = lambda run: run.work
    stated: str = ''  # the name of the method that knows what stated_of gives
    stated_of: Callable = lambda run: {}  # cells of what the run's configuration states
    fewest_times: float = 1  # a run has so many times what was seen of it, or more


def no_passes_or_overlap(run):
    if run.benchmark == 'minigo':  # an "epoch" is a generation of self-play games
        return 'its epochs are no passes over data (minigo)'
    return 'epochs overlap' if run.overlaps else None


def why_not_whole(run):
    return no_passes_or_overlap(run) or (None if run.whole_s else 'start or end of the run is not known')


def why_not_blocks(run):
    return ('blocks overlap' if run.overlaps else 'the start of a block is not known' if not run.start_s else
            None if run.work else 'the work of a block is not known')


def why_not_steps(run):
    """A mark every so many steps states the time of one of them only."""
    ends = [start + step for start, step in zip(run.start_s, run.unit_s)]
    parts = [(end - before) / step for before, end, step in zip(ends, ends[1:], run.unit_s[1:])]
    return None if 0.7 < (quantile(parts, 0.5) if parts else 1) < 1.5 else 'its marks do not follow every step'


def schedule_of(run):
    """After how much work the first evaluation comes, and how much lies between two. How long they take is not known."""
    at = [sum(run.work[:i]) for i, eval_s in enumerate(run.eval_s) if i > 0 and eval_s > 0]
    between = [after - before for before, after in zip(at, at[1:])]
    return {'eval_first': at[0], 'eval_every': quantile(between, 0.5) if between else at[0]} if at else {}


KINDS = {
    'epochs': Kind(
        'Time of all epochs', 'epoch', [1, 2, 3, 5], read_epochs,
        {'N x first': (1, lambda seen: seen.all_work * seen.rates[0]),
         'first + (N-1) x second': (2, lambda seen: seen.unit_s[0] + (seen.all_work - seen.work[0]) * seen.rates[1]),
         'N x mean of the seen': (2, lambda seen: seen.all_work * sum(seen.unit_s) / sum(seen.work)),
         'seen + rest x median of 2..K': (3, lambda seen: sum(seen.unit_s) + seen.left * quantile(seen.rates[1:], 0.5)),
         TWELVE: (1, later_half)},
        no_passes_or_overlap, has_pauses=False, stated='target known',
        stated_of=lambda run: {'stops_at_target': 'yes'} if run.is_cut else {}),
    'runs': Kind(
        'Time of whole runs', 'epoch', [1, 2, 3, 5], read_epochs,
        {'start-up + N x first': (1, lambda seen: seen.before_s + seen.units * seen.unit_s[0]),
         'start-up + first + (N-1) x second with its pause': (
             2, lambda seen: seen.before_s + seen.unit_s[0] + (seen.units - 1) * (seen.pauses_s[0] + seen.unit_s[1])),
         TWELVE: (1, later_half)},
        why_not_whole, lambda run: run.whole_s, before_s=lambda run: run.start_s[0],
        end_s=lambda run: max(0.0, run.whole_s - (run.start_s[-1] + run.unit_s[-1])), work=lambda run: [1] * len(run.unit_s)),
    'blocks': Kind(
        'Time of all blocks', 'block', [1, 2, 3, 5], read_epochs,
        {'rate of the first x work': (1, lambda seen: block_rate(seen, 0)),
         'first + (N-1) x second': (2, lambda seen: seen.unit_s[0] + (seen.units - 1) * (seen.unit_s[1] + seen.pauses_s[0])),
         'rate of blocks 2..K x work + median pause': (2, lambda seen: block_rate(seen, 1)),
         TWELVE: (1, later_half)},
        why_not_blocks, lambda run: run.start_s[-1] + run.unit_s[-1] - run.start_s[0],
        stated='schedule known', stated_of=schedule_of),
    'steps': Kind(
        'Time of all steps', 'step', [100], read_steps,
        {'N x mean of the seen, with pauses': (
            1, lambda seen: (sum(seen.unit_s) + sum(seen.pauses_s)) * seen.units / len(seen.unit_s)),
         'seen + rest x median': (
             1, lambda seen: sum(seen.unit_s) + sum(seen.pauses_s) + seen.left * quantile(seen.unit_s, 0.5)),
         TWELVE: (1, later_half)},
        why_not_steps, lambda run: run.start_s[-1] + run.unit_s[-1], work=lambda run: [], fewest_times=1.5),
    'iterations': Kind(
        'Time of the rest of a run', 'iteration', [10, 50, 100], read_iterations,
        {'rest x first': (1, lambda seen: sum(seen.unit_s) + seen.steps_left * seen.unit_s[0]),
         'rest x mean': (1, lambda seen: sum(seen.unit_s) + seen.steps_left * mean(seen.unit_s)),
         'rest x mean without the first': (
             1, lambda seen: sum(seen.unit_s) + seen.steps_left * mean(seen.unit_s[1:] or seen.unit_s)),
         'rest x median': (1, lambda seen: sum(seen.unit_s) + seen.steps_left * quantile(seen.unit_s, 0.5))},
        has_pauses=False, fewest_times=2),
}


def seen_of(kind, run, count):
    work = kind.work(run) or [1] * len(run.unit_s)
    seen = Seen(run.unit_s[:count], work[:count], run.pauses_s[:count - 1] if kind.has_pauses and run.start_s else [],
                kind.before_s(run), len(run.unit_s), sum(work), kind.unit in ('block', 'step'))
    seen.steps_left = len(run.unit_s) - count
    return seen


def fewest_units(kind, seen):
    of_seen = math.ceil(seen * kind.fewest_times)
    if kind.unit == 'iteration':
        return of_seen
    return max(FEWEST_EPOCHS, of_seen, 0 if seen < FEWEST_EPOCHS else seen + FEWEST_UNSEEN)


class Answer(NamedTuple):
    total_s: Optional[Prediction]
    spent_s: Optional[float]
    classification: str
    agree: bool


def predict(program, kind, runs, seen, stated=(), apart=()):
    """(number of the run, column of --apart) -> Answer of `predict --each`; `stated`: more cells of each run."""
    columns = ['path', 'repo', 'benchmark', 'system', 'submitter', 'unit', 'dur_s', 'end_s', 'stops_at_target', 'eval_first',
               'eval_every'] + ['work'] * (kind.unit != 'step') + ['pause_s'] * kind.has_pauses
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + '/runs.csv', 'w', newline='') as file:
            rows = csv.DictWriter(file, columns)
            rows.writeheader()
            for i, run in enumerate(runs):
                same = {'path': i, 'benchmark': f'{run.source}/{run.benchmark}', 'unit': kind.unit, 'end_s': kind.end_s(run),
                        'system': f'{run.submitter}/{run.system.lower()}', 'submitter': run.submitter}
                same |= stated[i] if stated else {}
                pauses_s = [kind.before_s(run), *run.pauses_s]
                work = kind.work(run)
                for unit, seconds in enumerate(run.unit_s):
                    rows.writerow(same | {'dur_s': seconds} | ({'work': work[unit]} if work else {}) |
                                  ({'pause_s': pauses_s[unit]} if kind.has_pauses else {}))
        done = subprocess.run([program, 'predict', folder + '/runs.csv', '--each', str(seen), '--format=json',
                               *(f'--apart={column}' for column in apart)], stdout=subprocess.PIPE, check=False)
    answers = {}
    for row in records(done.stdout):
        total_s = None if row['forecast_s'] is None else Prediction(
            row['forecast_s'], (row['low_80_s'], row['high_80_s']), (row['low_95_s'], row['high_95_s']))
        answers[int(row['path']), row['apart'] or ''] = Answer(total_s, row['spent_s'], row['class'], row['agree'] == 'yes')
    return answers


def records(text):
    """The rows of the first table of our JSON."""
    table = json.loads(text)['tables'][0]
    keys = [column['key'] for column in table['columns']]
    return [dict(zip(keys, row)) if isinstance(row, list) else row for row in table['rows']]


# ---------------------------------------------------------------- Intervals that are learned (src/forecast/run/conformal.cpp)

def conformal_quantile(found, level):
    """Of (score, weight); 1 if there are too few, and never below 1 / (their number + 1)."""
    count = sum(weight for _, weight in found)
    if count + 1e-9 < FEWEST_PAST:
        return 1
    below, value = 0, None
    for value, weight in sorted(found, key=lambda one: one[0]):
        below += weight
        if below + 1e-9 >= (count + 1) * level / 100:
            break
    return max(value, 1 / (count + 1))


def factors_of(teachers):
    """`teachers`: (prediction, actual, weight)."""
    factors = []
    for level in (80, 95):
        found = []
        for prediction, actual, weight in teachers:
            low, high = getattr(prediction, f'of_{level}')
            error = actual - prediction.value
            half = high - prediction.value if error > 0 else prediction.value - low
            if half > 0:
                found.append((abs(error) / half, weight))
        factors.append(conformal_quantile(found, level))
    return factors


def calibrated(answer, factors):
    if answer is None or answer.total_s is None:
        return None
    value = answer.total_s.value
    (low, high), (low_95, high_95) = (
        (max(answer.spent_s, value - factor * (value - interval[0])), value + factor * (interval[1] - value))
        for interval, factor in zip(answer.total_s[1:], factors))
    return Prediction(value, (low, high), (min(low, low_95), max(high, high_95)))


class Cases:
    """The runs of a file that are scored from so many units, with our forecasts."""

    def __init__(self, program, kind, log, seen, apart=()):
        runs, without, _ = log
        left_out = defaultdict(list)
        article = 'an' if kind.unit[0] in 'aeio' else 'a'
        for path in without:
            left_out[f'no row of {article} {kind.unit}'].append(path)
        self.kind, self.seen, self.runs = kind, seen, []
        fewest = fewest_units(kind, seen)
        for run in runs:
            why = kind.why_not(run) or (f'fewer than {counted(fewest, kind.unit)}' if len(run.unit_s) < fewest else None)
            left_out[why].append(run.path) if why else self.runs.append(run)
        self.notes = [f'{counted(len(paths), "run")} left out: {why} ({"the first: " * (len(paths) > 1)}{paths[0]})'
                      for why, paths in sorted(left_out.items())]
        self.actual = [kind.actual_s(run) for run in self.runs]
        stated = [kind.stated_of(run) for run in self.runs] if kind.stated else []
        answers = predict(program, kind, self.runs, seen, apart=apart) if self.runs else {}
        self.answers = [answers.get((i, '')) for i in range(len(self.runs))]
        self.apart = {column: [answers.get((i, column)) for i in range(len(self.runs))] for column in apart}
        self.stated = None
        if any(stated):
            answers = predict(program, kind, self.runs, seen, stated)
            self.stated = [answers[i, ''] for i in range(len(self.runs))]
        self.weights = self.set_weights()

    def set_weights(self):
        """Each configuration counts once, and each benchmark like the others."""
        runs = defaultdict(Counter)
        for run in self.runs:
            if not run.is_cut:
                runs[run.benchmark][run.configuration] += 1
        all_of = sum(len(configurations) for configurations in runs.values())
        return [0 if run.is_cut else all_of / len(runs) / len(runs[run.benchmark]) / runs[run.benchmark][run.configuration]
                for run in self.runs]

    def factors(self, answers, group=None, left_out=None):
        return factors_of([(answer.total_s, actual, weight)
                           for run, answer, actual, weight in zip(self.runs, answers, self.actual, self.weights)
                           if weight and answer and answer.total_s and (group is None or getattr(run, group) != left_out)])

    def learnt(self, answers, group):
        """Each forecast calibrated by the errors of those of other groups."""
        factors = {name: self.factors(answers, group, name) for name in {getattr(run, group) for run in self.runs}}
        return [calibrated(answer, factors[getattr(run, group)]) for run, answer in zip(self.runs, answers)]

    def methods(self, lessons=()):
        """Name -> prediction of each run. `lessons`: (name of a file, its cases); None: no interval is learned."""
        methods = {}
        for stated, answers in (('', self.answers), (', ' + self.kind.stated, self.stated)):
            if answers is None:
                continue
            methods['epochcast' + stated] = [answer.total_s for answer in answers]
            if self.kind.unit == 'iteration' or lessons is None:
                continue
            for group in ('submitter', 'benchmark'):
                methods[f'epochcast, learnt from other {group}s{stated}'] = self.learnt(answers, group)
            for name, cases in lessons:
                factors = cases.factors(cases.stated or cases.answers if stated else cases.answers)
                methods[f'epochcast, learnt from {name}{stated}'] = [calibrated(answer, factors) for answer in answers]
                self.notes.append(f'{name} teaches from {sum(map(bool, cases.weights))} runs'
                                  f'{" with their schedule" * bool(stated)}: 80 % intervals times {factors[0]:.2f}, 95 % '
                                  f'intervals times {factors[1]:.2f}')
        seen = [seen_of(self.kind, run, self.seen) for run in self.runs]
        for name, (fewest, rule) in self.kind.rules.items():
            if self.seen >= fewest:
                found = map(rule, seen)
                methods[name] = [one if isinstance(one, Prediction) else Prediction(one) for one in found]
        for column in self.apart:
            methods |= self.from_others(column)
        return methods

    def from_others(self, column):
        """Forecasts from runs that differ in this column beside those of the same runs alone."""
        answers, alone = self.apart[column], methods_of(self.answers)
        used = methods_of(answers)
        agreeing = [answer.total_s if answer and answer.agree else None for answer in answers]
        where = lambda chosen: [one if there else None for one, there in zip(alone, chosen)]
        name = f'relatives, other {column}s'
        return {name: used, f'{name}, learnt from other benchmarks': self.learnt(answers, 'benchmark'),
                f'  without, the same runs (other {column}s)': where(used), f'{name}, that agree': agreeing,
                f'  without, the same runs (other {column}s, that agree)': where(agreeing),
                f'{name}, else without': [one or other for one, other in zip(used, alone)]}

    def slices(self):
        lengths = [len(run.unit_s) for run in self.runs]
        slices, above = [], 0
        for part in (0.25, 0.5, 0.75, 1):  # runs of equal length stay together
            to = quantile(lengths, part)
            chosen = [i for i, length in enumerate(lengths) if above < length <= to]
            if chosen:
                shortest = min(lengths[i] for i in chosen)
                slices.append(('length', f'{"" if shortest == to else f"{shortest} to "}{to:g} {self.kind.unit}s', chosen))
            above = to
        rates = [seen_of(self.kind, run, self.seen).rates for run in self.runs]
        texts = {f'{self.kind.unit}s seen': ['alike' if max(rate) <= (1 + ALIKE) * min(rate) else 'unlike' for rate in rates],
                 f'last {self.kind.unit}': ['cut' if run.is_cut else 'whole' for run in self.runs],
                 'class': [answer.classification for answer in self.answers],
                 'benchmark': [run.benchmark or 'unknown' for run in self.runs]}
        for by, each in texts.items():
            slices += [(by, what, [i for i, one in enumerate(each) if one == what]) for what in sorted(set(each))]
        firsts = {run.configuration: i for i, run in reversed(list(enumerate(self.runs)))}
        return slices + [('', 'one run a configuration', sorted(firsts.values()))]


def methods_of(answers):
    return [answer.total_s if answer else None for answer in answers]


def tables_of(program, name, path, seen=(), learn=(), apart=()):
    """The tables of a file; ends the program, with the reasons, if there is nothing to score."""
    if name == 'devices':
        return tables_of_devices(program, path, learn)
    if name in SETTINGS:
        return SETTINGS[name](program, path)
    if name in PAST:
        return PAST[name](program, path, learn)
    kind = KINDS[name]
    log = kind.read(path)
    lessons = [(Path(other).name, kind.read(other)) for other in learn]
    tables, why_not = [], []
    for count in seen or kind.seen:
        cases = Cases(program, kind, log, count, apart)
        if not cases.runs:
            why_not.append(f'no run to score from {counted(count, kind.unit)}: {"; ".join(cases.notes) or "it has no rows"}')
            continue
        cut = [run.path for run in cases.runs if run.is_cut]
        if cut and kind.unit != 'iteration':
            cases.notes.append(f'{counted(len(cut), "run")} stopped within the last epoch: no interval is learned from '
                               f'{"them (the first: " if len(cut) > 1 else "it ("}{cut[0]})')
        methods = cases.methods([(file, Cases(program, kind, other, count)) for file, other in lessons])
        title, actual = f'{kind.title} from the first {count}', cases.actual
        if kind.unit == 'iteration':  # what was given is not scored
            given = [sum(run.unit_s[:count]) for run in cases.runs]
            actual = [value - part for value, part in zip(actual, given)]
            methods = {method: [one and one.mapped(lambda value: value - part) for one, part in zip(found, given)]
                       for method, found in methods.items()}
            title += ' iterations'
        tables.append(score_table(f'seen_{count}', f'{title}: {len(cases.runs)} runs', actual, methods, cases.notes))
        if kind.unit != 'iteration':
            tables.append(slice_table(f'parts_{count}', title + ', by part', actual, methods, cases.slices()))
    if not tables:
        sys.exit(f'{path}: {"; ".join(why_not)}')
    tables[0].notes.extend(why_not + log[2])
    return tables


# ---------------------------------------------------------------- Tables of settings

class Asked(NamedTuple):
    """A row that is left out, and the others that it is forecast from."""
    given: list
    asked: dict
    value: float
    by: str = ''


def fill(program, column, questions):
    """A prediction, or None, of each question, by `predict --fill`. Questions with the same rows given share a fit."""
    groups, places = {}, []
    for question in questions:
        key = tuple(map(id, question.given))
        group = groups.setdefault(key, [len(groups), question.given, []])
        places.append((group[0], len(group[2])))
        group[2].append(question.asked)
    columns = sorted({name for question in questions for row in [*question.given, question.asked] for name in row} - {column})
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + '/asked.csv', 'w', newline='') as file:
            rows = csv.DictWriter(file, ['workload', *columns, column])
            rows.writeheader()
            for name, given, asked in groups.values():
                rows.writerows({'workload': name} | row for row in given)
                rows.writerows({'workload': name} | row | {column: ''} for row in asked)
        done = subprocess.run([program, 'predict', folder + '/asked.csv', '--fill', '--format=json'], stdout=subprocess.PIPE,
                              check=False)
    found = defaultdict(list)
    for row in records(done.stdout):
        found[int(row['workload'])].append(None if row['forecast'] is None else Prediction(
            row['forecast'], (row['low_80'], row['high_80']), (row['low_95'], row['high_95'])))
    return [found[group][place] for group, place in places]


def answered(program, column, questions, rules):
    """Name -> predictions: ours, and those of the rules."""
    methods = {'epochcast': fill(program, column, questions)}
    for name, rule in rules.items():
        methods[name] = [None if value is None else Prediction(value) for value in map(rule, questions)]
    return methods


def cells(file, row, columns, optional=()):
    """The numbers of a row above 0, of optional columns where the cell is not empty; None: it cannot be used."""
    found = {}
    for column in [*columns, *(name for name in optional if text(row, name))]:
        value = file.positive(row, column)
        if value is None:
            return None
        found[column] = value
    return found


def scaling_questions(file):
    """The most workers of each workload, where there are three smaller numbers. Of Gavel's file a device is one more workload."""
    gavel = 'workload' not in file.columns and 'scale_factor' in file.columns
    names = ('job', 'scale_factor', 'steps_per_s') if gavel else ('workload', 'n', 'throughput')
    workloads = defaultdict(list)
    for row in file.rows:
        found = cells(file, row, names[1:])
        if found:
            point = {'workers': found[names[1]], 'throughput': found[names[2]], 'nodes': number(row, 'nodes') or 1}
            workloads[text(row, 'device') + ' ' + text(row, names[0])].append(point)
    questions = []
    for _, points in sorted(workloads.items()):
        points.sort(key=lambda point: point['workers'])
        given = [point for point in points if point['workers'] != points[-1]['workers']]
        if len(given) >= 3:
            questions.append(Asked(given, points[-1], points[-1]['throughput']))
    return questions


def amdahl(points, workers):
    """a + b (n - 1) for a worker's share, a and b at least 0, by least squares of relative errors."""
    equations = [(point['throughput'] / point['workers'], (point['workers'] - 1) * point['throughput'] / point['workers'])
                 for point in points]
    aa, ab, bb = (sum(equation[i] * equation[j] for equation in equations) for i, j in ((0, 0), (0, 1), (1, 1)))
    a1, b1 = (sum(equation[i] for equation in equations) for i in (0, 1))
    determinant = aa * bb - ab * ab
    both = ((bb * a1 - ab * b1) / determinant, (aa * b1 - ab * a1) / determinant) if determinant else (-1, -1)
    if min(both) < 0:
        alone = [(max(0, a1 / aa), 0), (0, max(0, b1 / bb) if bb else 0)]
        both = min(alone, key=lambda one: sum((one[0] * x + one[1] * y - 1) ** 2 for x, y in equations))
    return workers / (both[0] + both[1] * (workers - 1))


def linear(place):
    return lambda question: (question.given[place]['throughput'] * question.asked['workers'] / question.given[place]['workers'])


def tables_of_scaling(program, path):
    file = Rows(path)
    file.require(*(('job', 'steps_per_s') if 'scale_factor' in file.columns and 'workload' not in file.columns else
                   ('workload', 'n', 'throughput')))
    questions = scaling_questions(file)
    if not questions:
        sys.exit(f'{path}: no workload with four numbers of workers')
    rules = {'linear from the smallest': linear(0), 'linear from the second': linear(1), 'linear from the largest': linear(-1),
             'Amdahl from the two smallest': lambda question: amdahl(question.given[:2], question.asked['workers']),
             'Amdahl by least squares': lambda question: amdahl(question.given, question.asked['workers'])}
    return [score_table('scaling', f'Throughput of the most workers from that of all fewer: {len(questions)} workloads',
                        [question.value for question in questions], answered(program, 'throughput', questions, rules),
                        file.notes())]


DIMENSIONS = {'batch': 'batch size', 'input_length': 'input length', 'flops': 'number of FLOPs per sample',
              'layers': 'number of layers', 'threads': 'number of CPUs per process', 'workers': 'number of workers',
              'nodes': 'number of nodes', 'tensor_parallel': 'tensor parallelism', 'pipeline_parallel': 'pipeline parallelism',
              'micro_batch': 'micro batch'}
FEWEST_GIVEN = 3  # with fewer, a law is hardly checked


def setting(row):
    return tuple(row.get(name, 1) for name in DIMENSIONS)


def distance(row, other):
    """Squared, in doublings."""
    return sum(math.log2(a / b) ** 2 for a, b in zip(setting(row), setting(other)))


def setting_logs(file):
    """The steps of each workload and device. Of Gavel's, "LM (batch size 5)" is LM with that batch on each of the GPUs."""
    gavel = 'workload' not in file.columns and 'scale_factor' in file.columns
    file.require(*(('job', 'steps_per_s') if gavel else ('workload', 'step_s')))
    workloads = defaultdict(list)
    for row in file.rows:
        if not gavel:
            found = cells(file, row, ['step_s'], DIMENSIONS)
            if found:
                workloads[text(row, 'device') + ' ' + text(row, 'workload')].append(found)
            continue
        name, _, batch = row['job'].partition(' (batch size ')
        if not batch.endswith(')') or number({'batch': batch[:-1]}, 'batch') is None:
            file.exclude(row, f"job: found '{row['job']}', expected 'NAME (batch size N)'")
            continue
        found = cells(file, row, ['scale_factor', 'steps_per_s'])
        if found:
            workers = found['scale_factor']
            workloads[row['device'] + ' ' + name].append(
                {'batch': float(batch[:-1]), 'workers': workers, 'step_s': workers / found['steps_per_s']})
    return [times for _, times in sorted(workloads.items())]


def left_out(times, asked, leaves_out, by=''):
    """One question, or none if too few settings are left."""
    given = [row for row in times if not leaves_out(row)]
    return [Asked(given, asked, asked['step_s'], by)] * (len(given) >= FEWEST_GIVEN)


def surface_questions(logs):
    """Each setting from all others; each from those that differ in one dimension, of three values or more; the largest from those
    that are smaller in every dimension that varies."""
    settings, values, largest = [], [], []
    for times in logs:
        for asked in times:
            settings += left_out(times, asked, lambda row: setting(row) == setting(asked))
        for column, name in DIMENSIONS.items():
            for asked in times if len({row.get(column, 1) for row in times}) > 2 else []:
                values += left_out(times, asked, lambda row: row.get(column, 1) == asked.get(column, 1), name)
        most, least = (tuple(map(end, zip(*map(setting, times)))) for end in (max, min))
        asked = next((row for row in times if setting(row) == most), None)
        if asked:
            largest += left_out(times, asked, lambda row: any(low < high == at
                                                              for low, high, at in zip(least, most, setting(row))))
    return settings, values, largest


def work_of(row):
    return row.get('batch', 1) * row.get('input_length', 1) * row.get('flops', 1) / row.get('threads', 1)


def nearest_first(question):
    return sorted(question.given, key=lambda row: distance(row, question.asked))


def nearest_by_work(question):
    row = nearest_first(question)[0]
    return row['step_s'] * (work_of(question.asked) / work_of(row))


def line_through_two(question):
    """In the work, through the two nearest settings with as many workers and different work."""
    near = [row for row in nearest_first(question) if row.get('workers', 1) == question.asked.get('workers', 1)]
    for first in near:
        for second in near:
            if work_of(first) != work_of(second):
                share = (work_of(question.asked) - work_of(first)) / (work_of(second) - work_of(first))
                step_s = first['step_s'] + share * (second['step_s'] - first['step_s'])
                return step_s if step_s > 0 else None
    return None


def tables_of_surface(program, path):
    file = Rows(path)
    settings, values, largest = surface_questions(setting_logs(file))
    if not settings:
        sys.exit(f'{path}: no workload with steps at four settings or more')
    rules = {'nearest setting': lambda question: nearest_first(question)[0]['step_s'],
             'nearest setting, by its work': nearest_by_work, 'line through the two nearest': line_through_two}
    tables = []
    for name, what, questions in (
            ('surface_setting', 'each setting from all others', settings),
            ('surface_value', 'each from those that differ in one dimension (all of one value left out)', values),
            ('surface_largest', 'the largest from those smaller in all dimensions', largest)):
        if questions:
            about = (name, f'Time of a step: {what}, {len(questions)} questions', [question.value for question in questions],
                     answered(program, 'step_s', questions, rules))
            slices = [('left out', dimension, [i for i, question in enumerate(questions) if question.by == dimension])
                      for dimension in DIMENSIONS.values()]
            tables.append(slice_table(*about, slices) if questions is values else score_table(*about))
    tables[0].notes.extend(file.notes())
    return tables


def layouts_of(file):
    """Network -> layouts, each with its times by batch: those of several batches may not be measurements of their own."""
    columns = ('gpus', 'global_batch', 'micro_batch', 'tp', 'pp', 'iteration_ms')
    file.require(*columns)
    networks = defaultdict(lambda: defaultdict(list))
    for row in file.rows:
        found = cells(file, row, columns)
        if found:
            name = ', '.join(f'{column} {row[column]}' for column in ('workload', 'set', 'hidden', 'heads', 'layers', 'length')
                             if text(row, column))
            at = {'batch': found['global_batch'] / found['gpus'], 'workers': found['gpus'], 'tensor_parallel': found['tp'],
                  'pipeline_parallel': found['pp'], 'micro_batch': found['micro_batch'], 'step_s': found['iteration_ms'] / 1000}
            networks[name][found['gpus'], found['tp'], found['pp'], found['micro_batch']].append(at)
    return networks


def layout_questions(networks, with_replicas):
    """Each layout once, at the middle of its batches, from all others, or from those that differ in more than replicas."""
    questions = []
    for _, layouts in sorted(networks.items()):
        for layout, times in layouts.items():
            asked = sorted(times, key=lambda row: row['batch'])[len(times) // 2]
            given = [row for other, rows in layouts.items() if other != layout and (with_replicas or other[1:] != layout[1:])
                     for row in rows]
            if len(layouts) > FEWEST_GIVEN and given:
                questions.append(Asked(given, asked, asked['step_s']))
    return questions


def median_of_others(by_work):
    """At the same batch of all GPUs, or of what a sample takes a GPU."""
    def rule(question):
        asked = question.asked
        times = [row['step_s'] / row['batch'] * asked['batch'] if by_work else row['step_s'] for row in question.given
                 if by_work or row['batch'] * row['workers'] == asked['batch'] * asked['workers']]
        return quantile(times, 0.5) if times else None
    return rule


def tables_of_layouts(program, path):
    file = Rows(path)
    networks = layouts_of(file)
    rules = {'nearest layout, by its work': lambda question: (
                 lambda row: row['step_s'] / row['batch'] * question.asked['batch'])(nearest_first(question)[0]),
             'median of the others, by their work': median_of_others(True),
             'median of the others at that batch': median_of_others(False)}
    tables = []
    for name, what, with_replicas in (('layouts', '', True), ('layouts_new', ' with those that differ in replicas alone', False)):
        questions = layout_questions(networks, with_replicas)
        if questions:
            tables.append(score_table(name, f'Time of an iteration: {len(questions)} layouts left out{what}',
                                      [question.value for question in questions], answered(program, 'step_s', questions, rules)))
    if not tables:
        sys.exit(f'{path}: no network with four layouts or more')
    tables[0].notes.extend([
        'a layout (GPUs, tensor and pipeline parallelism, micro batch) is left out at all batches, and asked for at the middle '
        'one, from the other layouts of the network', *file.notes()])
    return tables


def tables_of_memory(program, path):
    file = Rows(path, 'network', 'batch', 'peak_bytes')
    networks = defaultdict(list)
    for row in file.rows:
        found = cells(file, row, ['peak_bytes', 'batch'], ['length', 'parameters', 'activations'])
        if found:
            networks[row['network']].append(found)
    at = lambda row: [row.get(name, 1) for name in ('batch', 'length', 'parameters', 'activations')]
    questions = [Asked(given, asked, asked['peak_bytes']) for _, rows in sorted(networks.items()) for asked in rows
                 if (given := [row for row in rows if at(row) != at(asked)])]
    if not questions:
        sys.exit(f'{path}: no network was run at two settings')
    rules = {'nearest run': lambda question: min(question.given, key=lambda row: sum(
                 abs(math.log(here / there)) for here, there in zip(at(row)[:3], at(question.asked)[:3])))['peak_bytes'],
             '16 bytes a parameter': lambda question: (  # weight, gradient and the two moments of Adam in FP32
                 16 * question.asked['parameters'] if question.asked.get('parameters', 1) > 1 else None)}
    return [score_table('memory', f'The most memory at a setting from the other settings: {len(questions)} runs of '
                        f'{len(networks)} networks', [question.value for question in questions],
                        answered(program, 'peak_bytes', questions, rules), file.notes())]


SETTINGS = {'scaling': tables_of_scaling, 'surface': tables_of_surface, 'layouts': tables_of_layouts, 'memory': tables_of_memory}


# ---------------------------------------------------------------- Times on other devices

LEAST_YEARS = 0.5
LEARNT_PAIRS = ', intervals learnt from other pairs'


def constants():
    """The widths that ship: name -> (of 80 %, of 95 %)."""
    header = (Path(__file__).resolve().parents[2] / 'src/forecast/device/ratio.hpp').read_text()
    return {name: (float(of_80), float(of_95))
            for name, of_80, of_95 in re.findall(r'constexpr Widths (\w+){([\d.]+), ([\d.]+)}', header)}


class DeviceQuestion(NamedTuple):
    """A workload on an ordered pair of devices."""
    workload: str
    pair: tuple  # the devices, in either order
    here_s: float
    there_s: float
    years: Optional[float]  # None: the datasheet of a device is not known
    octaves: Optional[float]
    flagged: str  # why the device does not decide the time; '': it does
    answers: dict  # method -> prediction, or None

    @property
    def distance(self):
        return math.sqrt(self.years + LEAST_YEARS)


FILTERS = ('w', 'h', 'c', 'n', 'k', 'filter_w', 'filter_h', 'pad_w', 'pad_h', 'stride_w', 'stride_h')
FP32_BYTES = 4


def products(file):
    """DeepBench's matrix products, one row a device and shape."""
    for row in file.rows:
        shape = cells(file, row, ['m', 'n', 'k', 'time_ms'])
        if shape:
            m, n, k = (shape[name] for name in 'mnk')
            name = f'gemm {m:.16g}x{n:.16g}x{k:.16g} {row["a_transpose"]}{row["b_transpose"]}'
            yield {'workload': name, 'device': row['device'], 'time_ms': row['time_ms'], 'flops': 2 * m * n * k,
                   'bytes': FP32_BYTES * (m * k + k * n + m * n), 'operator': 'product', 'origin': 'DeepBench'}


def convolutions(file):
    """DeepBench's convolutions: each pass of a training is a workload, and meets every tap of a filter once an output."""
    for row in file.rows:
        at = {name: number(row, name) for name in FILTERS}
        wrong = next((name for name, value in at.items() if value is None or value < 0 or (value == 0 and name[:3] != 'pad')), None)
        if wrong:
            file.exclude(row, f'{wrong}: found {row[wrong]!r}, expected a number above 0')
            continue
        out = at['n'] * math.prod((at[axis] + 2 * at['pad_' + axis] - at['filter_' + axis]) // at['stride_' + axis] + 1
                                  for axis in 'wh')
        filters = at['k'] * at['c'] * at['filter_w'] * at['filter_h']
        name = 'conv ' + ' '.join(f'{name}{value:.16g}' for name, value in at.items())
        moved = FP32_BYTES * (at['n'] * at['c'] * at['w'] * at['h'] + filters + out * at['k'])
        for which in ('forward', 'wrt_inputs', 'wrt_parameters'):
            if file.positive(row, which + '_ms'):
                yield {'workload': f'{name} {which}', 'device': row['device'], 'time_ms': row[which + '_ms'],
                       'flops': 2 * out * filters, 'bytes': moved,
                       'operator': 'convolution ' + which, 'origin': 'DeepBench'}


def gavels(file):
    """Gavel's throughputs on one device: "ResNet-18 (batch size 16)" is a workload with its batch; without one it is the same on all."""
    for row in file.rows:
        steps_per_s = file.positive(row, 'steps_per_s') if row['scale_factor'].strip() == '1' else None
        if steps_per_s:
            named = re.fullmatch(r'(.*) \(batch size (\d+)\)', row['job'])
            yield {'workload': named[1] if named else row['job'], 'batch': named[2] if named else 1, 'device': row['device'],
                   'time_ms': 1000 / steps_per_s, 'origin': 'Gavel'}


def device_questions(program, path):
    """All that `predict --pairs` answers, and its notes."""
    file = Rows(path)
    known = next((rows for columns, rows in ((['m', 'n', 'k', 'a_transpose'], products), ([*FILTERS, 'forward_ms'], convolutions),
                                             (['job', 'scale_factor', 'steps_per_s'], gavels))
                  if all(name in file.columns for name in columns)), None)
    with tempfile.TemporaryDirectory() as folder:
        asked = path
        if known:
            asked = folder + '/times.csv'
            found = list(known(file))
            with open(asked, 'w', newline='') as out:
                rows = csv.DictWriter(out, found[0].keys())
                rows.writeheader()
                rows.writerows(found)
        done = subprocess.run([program, 'predict', asked, '--pairs', '--format=json'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    rows, questions = records(done.stdout), []
    for row in rows:
        if row['method'] == rows[0]['method']:
            name = row['workload'] + (f' at {row["batch"]}' if (row['batch'] or 1) != 1 else '')
            questions.append(DeviceQuestion(name, tuple(sorted((row['from'], row['to']))), row['here_s'], row['there_s'],
                                            row['years'], row['octaves'], row['flagged'] or '', {}))
        ends = [None if row[f'low_{level}_s'] is None else (row[f'low_{level}_s'], row[f'high_{level}_s']) for level in (80, 95)]
        questions[-1].answers[row['method']] = (None if row['forecast_s'] is None else Prediction(row['forecast_s'], *ends))
    return questions, json.loads(done.stdout)['tables'][0]['notes'] + file.notes()


def weighted_quantile(values, probability):
    """The least of (value, weight) that, with all smaller ones, has this share of the weight."""
    total, below = sum(weight for _, weight in values), 0
    for value, weight in sorted(values, key=lambda one: one[0]):
        below += weight
        if below >= probability * total:
            break
    return value


def with_log_widths(value, widths):
    return Prediction(value, *((value / math.exp(width), value * math.exp(width)) for width in widths))


def learnt_from_other_pairs(questions, answers):
    """Both intervals of each answer stretched, in logarithms, by the quantiles of error / half-width on all other pairs of
    devices, each with the same weight; None without intervals, or with fewer than three pairs."""
    widths = [[math.log(end[1] / answer.value) for end in answer[1:]] if answer and answer.of_80 and answer.of_95 else None
              for answer in answers]
    errors = defaultdict(list)
    for question, answer, width in zip(questions, answers, widths):
        if width:
            error = abs(math.log(question.there_s / answer.value))
            errors[question.pair].append([error / one for one in width])
    if len(errors) < 3:
        return None
    factors = {pair: [weighted_quantile([(one[level], 1 / len(found)) for other, found in errors.items() if other != pair
                                         for one in found], probability) for level, probability in enumerate((0.8, 0.95))]
               for pair in errors}
    return [answer and with_log_widths(answer.value, [factor * one for factor, one in zip(factors[question.pair], width)])
            if width else answer for question, answer, width in zip(questions, answers, widths)]


def learned_errors(program, files):
    """(question, |log error| of datasheets, weight) of what the device decides; each pair of a file has the same weight."""
    found = []
    for path in files:
        pairs = defaultdict(list)
        for question in device_questions(program, path)[0]:
            if question.years is not None and not question.flagged:
                error = abs(math.log(question.answers['specifications'].value / question.there_s))
                pairs[question.pair].append((question, error))
        if not pairs:
            sys.exit(f'{path}: no workload that the device decides on two known devices')
        found += [(question, error, 1 / len(cases)) for cases in pairs.values() for question, error in cases]
    return found


def learned_widths(program, files):
    errors = [(error / question.distance, weight) for question, error, weight in learned_errors(program, files)]
    return weighted_quantile(errors, 0.8), weighted_quantile(errors, 0.95)


def learned_batch_widths(program, path):
    """What errors have beyond the widths of programs, for each octave of the batch."""
    errors = [one for one in learned_errors(program, [path]) if one[0].octaves > 0]
    return [weighted_quantile([(math.sqrt(max(0.0, error ** 2 - (factor * question.distance) ** 2)) / question.octaves, 1)
                               for question, error, _ in errors], probability)
            for factor, probability in zip(constants()['program_widths'], (0.8, 0.95))]


def methods_on(questions, learned=None):
    """Name -> predictions. `learned`: widths of datasheets."""
    methods = {}
    for name in questions[0].answers:
        methods[name] = [question.answers[name] for question in questions]
        stretched = learnt_from_other_pairs(questions, methods[name])
        if stretched:
            methods[name + LEARNT_PAIRS] = stretched
    if learned:
        methods['specifications, widths learnt elsewhere'] = [
            None if question.years is None else with_log_widths(question.answers['specifications'].value, [
                math.hypot(factor * question.distance, batch * question.octaves)
                for factor, batch in zip(learned, constants()['batch_widths'])]) for question in questions]
    return methods


def by_workload(questions, methods):
    """Mean errors of each method by workload, for files that hold few of them."""
    rows = []
    for workload in sorted({question.workload for question in questions}):
        chosen = [i for i, question in enumerate(questions) if question.workload == workload]
        rows.append({'workload': workload, 'n': len(chosen)})
        for name, found in methods.items():
            errors = [100 * abs(found[i].value / questions[i].there_s - 1) for i in chosen if found[i]]
            rows[-1][name + '_percent'] = mean(errors) if errors else None
    return Table('by_workload', 'Mean error by workload, all pairs of devices',
                 {'workload': None, 'n': 0} | {name + '_percent': 1 for name in methods}, rows)


def tables_of_devices(program, path, learn=()):
    questions, notes = device_questions(program, path)
    tables = []
    for name, title, chosen in (('device_bound', 'Time on another device', [one for one in questions if not one.flagged]),
                                ('not_device_bound', 'Flagged as not bound by the device, not scaled',
                                 [one for one in questions if one.flagged])):
        if not chosen:
            continue
        methods = methods_on(chosen, learned_widths(program, learn) if learn and name == 'device_bound' else None)
        tables.append(score_table(name, f'{title}: {len(chosen)} rows', [question.there_s for question in chosen], methods))
        if name == 'device_bound' and 'reference_ratios (batch size left out)' in methods:
            tables.append(by_workload(chosen, methods))
        if name == 'not_device_bound':
            count = Counter(question.workload for question in chosen)
            firsts = {question.workload: question.flagged for question in reversed(chosen)}
            tables[-1].notes.extend(f'flagged {workload}: {count[workload]} rows, the first since {firsts[workload]}'
                                    for workload in sorted(count))
    tables[0].notes[:0] = [
        'reference_ratios sees neither the time that is asked for nor, where it says so, any other of the workload; it needs '
        'others on both devices, so with a device left out there is none',
        'specifications has no parameter but its widths, from DeepBench, Gavel and MLPerf; --learn FILE learns them from others',
        'intervals learnt from other pairs: stretched by the errors on all pairs of devices of this file but the one asked for',
        *notes]
    return tables


# ---------------------------------------------------------------- Past jobs of a cluster

NEVER = math.inf


@dataclass
class Job:
    """A job of the accounting with its times in seconds; infinite: not known. `cells` are those of a history of `import sacct`."""
    cells: dict
    is_scored: bool

    def __post_init__(self):
        at = self.cells.get
        self.submitted_s, self.started_s, self.ended_s = map(stamp_s, map(at, ('submitted_at', 'started_at', 'ended_at')))
        eligible_s = stamp_s(at('eligible_at'))
        self.eligible_s = self.submitted_s if eligible_s == NEVER else eligible_s
        self.elapsed_s, self.limit_s, self.gpus = (number(self.cells, name) or 0 for name in ('elapsed_s', 'limit_s', 'gpus'))
        self.is_cut_off = at('state') == 'TIMEOUT'
        self.took_s = min(self.elapsed_s, self.limit_s)

    def key(self, *names):
        return tuple(self.cells.get(name) for name in names)


def stamp_s(cell):
    if cell and cell.isdigit():
        return float(cell)
    try:
        return datetime.fromisoformat((cell or '').strip()).replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return NEVER


def published_job(file, row):
    """The cells of a history of a row with seconds after submission; None: it cannot be used."""
    submit_s = stamp_s(row['submit'])
    if submit_s == NEVER:
        file.exclude(row, f'submit: found {row["submit"]!r}, expected a time such as 2021-05-01 00:06:13')
        return None
    for name in ('start_after_s', 'nodes', 'cpus', 'gpus', 'elapsed_s'):
        if (number(row, name) or 0) < 0 or number(row, name) is None:
            file.exclude(row, f'{name}: found {row[name]!r}, expected a number of at least 0')
            return None
    start_s, elapsed_s = submit_s + number(row, 'start_after_s'), number(row, 'elapsed_s')
    times = {'submitted_at': submit_s, 'eligible_at': submit_s + (number(row, 'eligible_after_s') or 0), 'started_at': start_s,
             'ended_at': start_s + elapsed_s}
    return {name: row[name] for name in ('partition', 'account', 'nodes', 'cpus', 'gpus', 'elapsed_s', 'limit_s', 'state')} | {
        'job': text(row, 'job'), 'user': row['account']} | {name: f'{time_s:.0f}' for name, time_s in times.items()}


def read_jobs(path, learn, usable):
    """Jobs of these files by time of submission, and notes. `usable`: why a job cannot be used, or nothing."""
    jobs, excluded = [], None
    for place, each in enumerate((path, *learn)):
        file = Rows(each)
        if excluded is None:
            excluded = file
        if 'submitted_at' not in file.columns:
            file.require('submit', 'start_after_s', 'elapsed_s', 'limit_s', 'partition', 'account', 'nodes', 'cpus', 'gpus', 'state')
        found = [row if 'submitted_at' in file.columns else published_job(file, row) for row in file.rows]
        jobs.extend(Job(cells, place == 0) for cells in found if cells)
        if file is not excluded:
            excluded.excluded.extend(file.excluded)
    jobs.sort(key=lambda job: job.submitted_s)
    if not any(job.is_scored for job in jobs):
        sys.exit(f'{path}: no row can be used; {"; ".join(excluded.notes()) or "there is none"}')
    if learn and jobs[0].is_scored:
        first, learned = (f'{datetime.fromtimestamp(job.submitted_s, timezone.utc):%Y-%m-%d}'
                          for job in (jobs[0], next((job for job in jobs if not job.is_scored), jobs[0])))
        sys.exit(f'--learn: found no job before the first of {path}, expected earlier ones: it begins on {first}, what to learn from '
                 f'on {learned}. Of files that overlap in time score the one that begins later')
    used = []
    for job in jobs:
        why = usable(job)
        if why:
            excluded.excluded.append(f'job {job.cells["job"]}: {why}')
        else:
            used.append(job)
    if not any(job.is_scored for job in used):
        sys.exit(f'{path}: no job can be used; {excluded.notes()[0]}')
    return used, excluded.notes()


def predict_jobs(program, what, jobs):
    """Of each job its prediction or None, the limit or 0, and the number of its batch."""
    columns = ['job', 'user', 'account', 'job_name', 'script', 'partition', 'nodes', 'cpus', 'gpus', 'submitted_at', 'eligible_at',
               'started_at', 'ended_at', 'limit_s', 'elapsed_s', 'state', 'restarts']
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + '/jobs.csv', 'w', newline='') as file:
            rows = csv.DictWriter(file, [name for name in columns if any(name in job.cells for job in jobs)], extrasaction='ignore')
            rows.writeheader()
            rows.writerows(job.cells | {'job': place} for place, job in enumerate(jobs))
        done = subprocess.run([program, 'predict', folder + '/jobs.csv', '--jobs', what, '--format=json'], stdout=subprocess.PIPE,
                              check=False)
    answers = [(None, 0, None)] * len(jobs)
    for row in records(done.stdout):
        made = row['forecast_s']
        answers[int(row['job'])] = (
            None if made is None else Prediction(made, *(interval(row, level) for level in (80, 95))), row.get('limit_s') or 0,
            row['batch'])
    return answers


def interval(row, level):
    low, high = row[f'low_{level}_s'], row[f'high_{level}_s']
    return None if low is None else (low, NEVER if high is None else high)


def job_parts(jobs):
    """(name, whether a job is of it): of the scored jobs all, each half of the time, with and without a GPU."""
    middle_s = (next(job.submitted_s for job in jobs if job.is_scored) + jobs[-1].submitted_s) / 2
    return [('all', lambda job: True), ('first half of the time', lambda job: job.submitted_s < middle_s),
            ('second half of the time', lambda job: job.submitted_s >= middle_s), ('with a GPU', lambda job: job.gpus > 0),
            ('without a GPU', lambda job: job.gpus == 0)]


def counted_jobs(jobs):
    scored = sum(job.is_scored for job in jobs)
    return counted(scored, 'job') + (f', after {len(jobs) - scored} that are only learned from' if scored < len(jobs) else '')


def of_draws(values):
    """The median and the 80 % interval of what comes next; which is known to a second."""
    values = sorted(values)

    def at(share):
        rank = min(max(share * (len(values) + 1), 1), len(values))
        part = rank - int(rank)
        return values[int(rank) - 1] + (part * (values[int(rank)] - values[int(rank) - 1]) if part else 0)
    return Prediction(at(0.5), (at(0.1), at(0.9) + 1))


def newest_of(jobs, most, *names):
    """What many do: the newest waits that had ended, of jobs alike in `names`."""
    by_start, known, answers = sorted(jobs, key=lambda job: job.started_s), defaultdict(lambda: deque(maxlen=most)), []
    ended = 0
    for job in jobs:
        while ended < len(jobs) and by_start[ended].started_s <= job.eligible_s:
            known[by_start[ended].key(*names)].append(wait_s(by_start[ended]))
            ended += 1
        waits_s = known[job.key(*names)]
        answers.append(of_draws(waits_s) if len(waits_s) >= 5 else None)
    return answers


def wait_s(job):
    return max(0.0, job.started_s - job.eligible_s)


def percent(part, whole):
    return 100 * part / whole if whole else None


def wait_scores(jobs, of_batch, answers, has):
    """Of the jobs of a part; a wait below 1 s counts as one."""
    chosen = [i for i, job in enumerate(jobs) if job.is_scored and has(job)]
    pairs = [(answers[i], wait_s(jobs[i]), of_batch[i]) for i in chosen if answers[i]]
    ratios = [max(1, made.value) / max(1, actual) for made, actual, _ in pairs]
    inside = [made.of_80[0] <= actual <= made.of_80[1] for made, actual, _ in pairs]
    n = len(pairs)
    return {'n': n, 'refused': len(chosen) - n,
            **{f'within_{factor}_percent': percent(sum(1 / factor <= ratio <= factor for ratio in ratios), n) for factor in (2, 3)},
            'median_error_h': quantile([abs(made.value - actual) / 3600 for made, actual, _ in pairs], 0.5) if n else None,
            'covered_80_percent': percent(sum(inside), n),
            'below_percent': percent(sum(actual < made.of_80[0] for made, actual, _ in pairs), n),
            'batches_covered_80_percent': percent(sum(share for (_, _, share), holds in zip(pairs, inside) if holds),
                                                  sum(share for _, _, share in pairs)),
            'high_per_low': quantile([(made.of_80[1] + 30) / (made.of_80[0] + 30) for made, _, _ in pairs], 0.5) if n else None}


def job_table(name, title, jobs, columns, methods, scores_of, notes):
    rows = [{'method': method, 'part': part} | scores_of(answers, has)
            for part, has in job_parts(jobs) if any(job.is_scored and has(job) for job in jobs)
            for method, answers in methods.items()]
    return [Table(name, title, {'method': None, 'part': None} | columns, rows, notes)]


def tables_of_waits(program, path, learn=()):
    jobs, notes = read_jobs(path, learn, lambda job: '' if math.isfinite(job.started_s - job.eligible_s) else
                            'it did not start, or its times are not known')
    jobs.sort(key=lambda job: job.eligible_s)
    answers = predict_jobs(program, 'waits', jobs)
    sizes = Counter(batch for _, _, batch in answers)
    size = ('partition', 'nodes', 'cpus', 'gpus')
    methods = {'past waits, by batches': [made for made, _, _ in answers],
               'newest 10 of the user in the partition': newest_of(jobs, 10, 'user', 'partition'),
               'newest 50 in the partition of this size': newest_of(jobs, 50, *size),
               'newest 100 in the partition': newest_of(jobs, 100, 'partition'), 'newest 200': newest_of(jobs, 200)}
    of_batch = [1 / sizes[batch] for _, _, batch in answers]
    batches = len({batch for job, (_, _, batch) in zip(jobs, answers) if job.is_scored})
    return job_table(
        'waits', f'Waits in order of time: {batches} batches of {counted_jobs(jobs)}', jobs,
        {'n': 0, 'refused': 0, 'within_2_percent': 1, 'within_3_percent': 1, 'median_error_h': 2, 'covered_80_percent': 1,
         'below_percent': 1, 'batches_covered_80_percent': 1, 'high_per_low': 1},
        methods, lambda found, has: wait_scores(jobs, of_batch, found, has),
        ['each job is forecast from what was known when it became eligible (of a batch: the first one)',
         'a batch: jobs of one user that ask for the same within an hour; in the last columns each counts once',
         'high/low: median, each end 30 s more', *notes])


def order_statistics(at_least, at_most):
    """Of sorted run times, a job that its limit cut off at it and endless, as src/forecast/statistics/history.hpp describes it."""
    n = len(at_most)
    middle = at_most[n // 2] if n % 2 else (at_most[n // 2 - 1] + at_most[n // 2]) / 2 if n else NEVER
    if n < 9 or middle == NEVER:
        return None

    def between(below, above):
        low, high = math.floor((n + 1) * below + 1e-9), math.ceil((n + 1) * above - 1e-9)
        return at_least[low - 1] if low >= 1 else 0, at_most[high - 1] if high <= n else NEVER
    return Prediction(middle, between(0.1, 0.9), None if n < 19 else between(0, 0.95) if n < 39 else between(0.025, 0.975))


def limit_from(needs_s):
    return 60 * max(1, math.ceil(1.1 * needs_s / 60))


def by_jobs(jobs):
    """Of the jobs that ask for the same: each is one observation."""
    by_end, known, answers, ended = sorted(jobs, key=lambda job: job.ended_s), defaultdict(lambda: ([], [])), [], 0
    names = ('user', 'account', 'job_name', 'script', 'partition', 'nodes', 'cpus', 'gpus', 'limit_s')
    for job in jobs:
        while ended < len(jobs) and by_end[ended].ended_s <= job.submitted_s:
            one = by_end[ended]
            at_least, at_most = known[one.key(*names)]
            bisect.insort(at_least, one.elapsed_s)
            bisect.insort(at_most, NEVER if one.is_cut_off else one.elapsed_s)
            ended += 1
        made = order_statistics(*known[job.key(*names)])
        high_s = made.of_95[1] if made and made.of_95 else NEVER
        answers.append((made, limit_from(high_s) if high_s < NEVER else 0))
    return answers


def run_scores(jobs, answers, has):
    """A job that reached its limit is inside an interval that ends there."""
    chosen = [(job, made, limit_s) for job, (made, limit_s) in zip(jobs, answers) if job.is_scored and has(job)]
    ended = [(job, min(limit_s or NEVER, job.limit_s)) for job, _, limit_s in chosen if not job.is_cut_off]
    asked_s, own_s, used_s = (sum(values) for values in ([limit_s for _, limit_s in ended], [job.limit_s for job, _ in ended],
                                                         [job.elapsed_s for job, _ in ended]))
    row = {'n': len(chosen)}
    for level in (80, 95):
        known = [(job, getattr(made, f'of_{level}')) for job, made, _ in chosen if made and getattr(made, f'of_{level}')]
        if level == 80:
            row['forecast_percent'] = percent(len(known), len(chosen))
        row[f'covered_{level}_percent'] = percent(sum(low <= job.took_s <= high for job, (low, high) in known), len(known))
    return row | {'limits_percent': percent(sum(limit_s > 0 for _, _, limit_s in chosen), len(chosen)),
                  'within_limit_percent': percent(sum(job.took_s <= limit_s for job, limit_s in ended), len(ended)),
                  'limit_per_used': asked_s / used_s if used_s else None, 'own_per_used': own_s / used_s if used_s else None}


def tables_of_history(program, path, learn=()):
    def why_not(job):
        if job.cells.get('state') not in ('COMPLETED', 'TIMEOUT'):
            return 'it neither completed nor reached its limit'
        known = math.isfinite(job.submitted_s + job.ended_s) and job.limit_s > 0 and job.elapsed_s > 0
        return '' if known else 'its limit or times are not known'
    jobs, notes = read_jobs(path, learn, why_not)
    methods = {'past jobs, by batches': [answer[:2] for answer in predict_jobs(program, 'times', jobs)],
               'past jobs, one by one': by_jobs(jobs), 'its own limit': [(None, 0)] * len(jobs)}
    return job_table(
        'history', f'Run times and limits in order of time: {counted_jobs(jobs)}', jobs,
        {'n': 0, 'forecast_percent': 1, 'covered_80_percent': 1, 'covered_95_percent': 1, 'limits_percent': 1,
         'within_limit_percent': 1, 'limit_per_used': 2, 'own_per_used': 2},
        methods, lambda found, has: run_scores(jobs, found, has),
        ['each job is forecast from what was known when it was submitted (of a batch: the first one)',
         'in 80 %, in 95 %: of the jobs with an interval; a job that reached its limit counts at it',
         'within limit, limit/used: of the jobs that completed, with the own limit where there is no other or where it is shorter',
         *notes])


PAST = {'waits': tables_of_waits, 'history': tables_of_history}


# ---------------------------------------------------------------- The command

def shown(table):
    lines = [f'## {table.title}', '', '| ' + ' | '.join(table.columns) + ' |', '|' + ' --- |' * len(table.columns)]
    lines += ['| ' + ' | '.join(row) + ' |' for row in table.texts()]
    return '\n'.join(lines + [''] + [f'- {note}' for note in table.notes] + [''] * bool(table.notes))


def disturbed_notes(path):
    """What the column `disturbed`, of 'export epochs' and 'export settings', says of five runs, then how many more."""
    file = Rows(path)
    name = next((name for name in ('path', 'run', 'workload', 'job') if name in file.columns), 'line')
    runs = sorted({row[name]: row['disturbed'] for row in file.rows if text(row, 'disturbed')}.items())
    more = [f'{len(runs) - 5} more runs of {path} were disturbed, and their times are used'] * (len(runs) > 5)
    return [f'{run} was disturbed, and its times are used: {why}' for run, why in runs[:5]] + more


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].replace('%', '%%'))
    parser.add_argument('build', type=Path)
    parser.add_argument('kind', choices=[*KINDS, *SETTINGS, *PAST, 'devices'])
    parser.add_argument('file')
    parser.add_argument('--seen', type=int, action='append', default=[])
    parser.add_argument('--learn', action='append', default=[])
    parser.add_argument('--apart', action='store_true')
    parser.add_argument('--csv', type=Path)
    options = parser.parse_args()
    program = options.build / 'bin/epochcast-analyze'
    tables = tables_of(program, options.kind, options.file, options.seen, options.learn,
                        ('system', 'submitter') if options.apart else ())
    tables[0].notes.extend(disturbed_notes(options.file))
    tables[0].notes.append(f'{options.file}: sha256 {hashlib.sha256(Path(options.file).read_bytes()).hexdigest()}')
    for table in tables:
        if options.csv:
            options.csv.mkdir(parents=True, exist_ok=True)
            with open(options.csv / f'{table.name}.csv', 'w', newline='') as file:
                csv.writer(file).writerows([table.columns, *table.texts()])
        else:
            print(shown(table))


if __name__ == '__main__':
    main()
