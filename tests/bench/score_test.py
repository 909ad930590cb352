#!/usr/bin/env python3
"""Tests of score.py: on files made here, and on measured data where that is at hand.

usage: tests/bench/score_test.py BUILD [TEST...]
"""
import os
import math
import random
import subprocess
import sys
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

import score

DATA = Path(__file__).resolve().parents[3] / 'shared/data'
PROGRAM = None


def needs(path):
    return unittest.skipUnless((DATA / path).exists(), f'{path} is not there')


class Scoring(unittest.TestCase):
    def tables(self, kind, text, *arguments, **options):
        """Of a file with this text, or of this file."""
        path = text if isinstance(text, Path) else self.write('x.csv', text)
        return score.tables_of(PROGRAM, kind, path, *arguments, **options)

    def write(self, name, text):
        path = Path(self.enterContext(tempfile.TemporaryDirectory())) / name
        path.write_text(text)
        return path

    def why_none(self, kind, text, *arguments):
        with self.assertRaises(SystemExit) as ended:
            self.tables(kind, text, *arguments)
        return str(ended.exception)

    def assert_note(self, table, part):
        self.assertTrue(any(part in note for note in table.notes), f'{part} is not in {table.notes}')


class Scores(Scoring):
    ACTUAL = [100, 200, 50]

    def table(self, *predictions, actual=None):
        return score.score_table('t', 'T', actual or self.ACTUAL, {'m': predictions})

    def test_errors_are_shares_of_what_happened(self):
        table = self.table(*map(score.Prediction, (110, 180, 50)))
        self.assertEqual(table.cell('m', 'n'), 3)
        self.assertAlmostEqual(table.cell('m', 'mean_percent'), 20 / 3)
        self.assertAlmostEqual(table.cell('m', 'median_percent'), 10)
        self.assertAlmostEqual(table.cell('m', 'max_percent'), 10)
        self.assertAlmostEqual(table.cell('m', 'bias_percent'), 0)
        self.assertIsNone(table.cell('m', 'covered_80_percent'))

    def test_what_intervals_hold_and_their_width(self):
        table = self.table(score.Prediction(100, (90, 110), (80, 120)), score.Prediction(180, (170, 190), (150, 210)),
                           actual=[100, 200])
        self.assertEqual(table.cell('m', 'covered_80_percent'), 50)
        self.assertEqual(table.cell('m', 'covered_95_percent'), 100)
        self.assertAlmostEqual(table.cell('m', 'half_width_95_percent'), (20 + 30 / 1.8) / 2)

    def test_refusals_are_counted_and_not_scored(self):
        table = self.table(score.Prediction(100, (90, 110)), None, score.Prediction(60))
        self.assertEqual([table.cell('m', key) for key in ('n', 'refused', 'mean_percent', 'covered_80_percent')], [2, 1, 10, 100])
        table = self.table(None, actual=[100])
        self.assertEqual([table.cell('m', key) for key in ('n', 'refused', 'median_percent')], [0, 1, None])

    def test_a_slice_has_the_scores_of_its_rows(self):
        table = score.slice_table('t', 'T', self.ACTUAL, {'m': [score.Prediction(110), None, score.Prediction(50)]},
                                  [('length', 'short', [0, 1]), ('length', 'long', [2]), ('x', '', [])])
        self.assertEqual([row['what'] for row in table.rows], ['short', 'long'], 'a slice without rows is left out')
        self.assertEqual([table.rows[0][key] for key in ('n', 'refused')], [1, 1])
        self.assertAlmostEqual(table.rows[0]['mean_percent'], 10)
        self.assertAlmostEqual(table.rows[1]['mean_percent'], 0)

    def test_quantiles_are_between_ranks(self):
        self.assertEqual([score.quantile([3, 1, 2], 0.5), score.quantile([7], 0.95), score.quantile([1, 2], 1)], [2, 7, 2])
        self.assertAlmostEqual(score.quantile([1, 2, 3, 4], 0.9), 3.7)

    def test_factors_are_those_of_conformal_quantiles(self):
        """As tests/src/forecast/run/conformal_test.cpp has them."""
        off = lambda count: [(score.Prediction(100, (90, 110), (90, 110)), 100 + i + 1, 1) for i in range(count)]
        self.assertEqual(score.factors_of(off(39)), [3.2, 3.8])
        self.assertEqual(score.factors_of(off(19)), [1, 1])
        self.assertEqual(score.factors_of(off(20)), [1.7, 2])


class Epochs(Scoring):
    def test_whole_runs_of_epochs_that_do_not_overlap(self):
        text = 'path,benchmark,kind,seq,start_ms,dur_s\n'
        for run, kind, epochs, step_ms in (('good', 'epoch', 5, 2000), ('short', 'epoch', 4, 2000),
                                           ('overlapping', 'epoch', 5, 900), ('blocks', 'block', 5, 2000)):
            for i in range(epochs, 0, -1):  # rows need no order
                text += f'{run},b,{kind},{i},{i * step_ms},{2 if i == 1 else 1}\n'
        table = self.tables('epochs', text + 'broken,b,epoch,1,0,none\n', [1])[0]
        self.assertEqual(table.cell('N x first', 'n'), 1)
        self.assertAlmostEqual(table.cell('N x first', 'mean_percent'), 100 * (10 - 6) / 6)
        self.assert_note(table, '1 row left out; the first: ')
        for note in ('1 run left out: fewer than 5 epochs (short)', '1 run left out: epochs overlap (overlapping)',
                     '2 runs left out: no row of an epoch (the first: blocks)'):
            self.assertIn(note, table.notes)

    def test_a_file_without_a_run_to_score_says_why(self):
        self.assertIn('x.csv: no run to score from 2 epochs: 2 runs left out: fewer than 5 epochs (the first: other)',
                      self.why_none('epochs', 'path,dur_s\nshort,1\nshort,1\nother,1\n', [2]))

    def test_a_number_of_epochs_that_no_run_has_is_a_note(self):
        tables = self.tables('epochs', 'path,dur_s\n' + 'run,10\n' * 6, [1, 9])
        self.assertEqual(tables[0].name, 'seen_1')
        self.assertIn('no run to score from 9 epochs: 1 run left out: fewer than 12 epochs (run)', tables[0].notes)

    @needs('timing/mlperf/epochs-v1.0-v2.0.csv.gz')
    def test_rules_score_what_was_computed_of_them_before(self):
        """The figures of the simple rules on this file are known from elsewhere (prediction.md 8)."""
        table = self.tables('epochs', DATA / 'timing/mlperf/epochs-v1.0-v2.0.csv.gz', [2])[0]
        first, second = 'N x first', 'first + (N-1) x second'
        self.assertEqual(table.cell(first, 'n'), 1137)
        for method, key, value, within in ((first, 'mean_percent', 15.6, 0.05), (first, 'median_percent', 3.47, 0.005),
                                           (first, 'p95_percent', 69.2, 0.05), (second, 'mean_percent', 2.07, 0.005),
                                           (second, 'p95_percent', 9.92, 0.005)):
            self.assertAlmostEqual(table.cell(method, key), value, delta=within)

    @staticmethod
    def shuffled_runs():
        """Runs of two submitters, rows in an order that is none."""
        rows = []
        for run in range(40):
            for epoch in range(8):
                seconds = 10 + 0.01 * ((run * 7 + epoch * 3) % 11) + (2 if epoch == 0 else 0)
                rows.append(f'run{run},b,{"XY"[run % 2]},s{run},{epoch + 1},{seconds}\n')
        random.Random(5).shuffle(rows)
        return ['path,benchmark,submitter,system,seq,dur_s\n', *rows]

    def test_order_of_rows_does_not_matter(self):
        header, *rows = self.shuffled_runs()
        self.assertEqual(self.tables('epochs', header + ''.join(rows), [3])[0].rows,
                         self.tables('epochs', header + ''.join(sorted(rows)), [3])[0].rows)

    def test_intervals_learn_from_other_groups_only(self):
        table = self.tables('epochs', ''.join(self.shuffled_runs()), [3])[0]
        width = 'half_width_95_percent'
        model = table.cell('epochcast, learnt from other benchmarks', width)  # there is one: these are as they ship
        self.assertLess(table.cell('epochcast, learnt from other submitters', width), model)
        self.assertAlmostEqual(table.cell('epochcast', width), model)

    def test_learns_from_another_file(self):
        text = ''.join(self.shuffled_runs())
        table = self.tables('epochs', text, [3], [self.write('a.csv', text)])[0]
        self.assertGreaterEqual(table.cell('epochcast, learnt from a.csv', 'covered_95_percent'), 95)
        self.assert_note(table, 'a.csv teaches from 40 runs: 80 %')

    def test_learns_nothing_from_runs_that_stop_within_their_last_epoch(self):
        """A run that stops at a target ends within an epoch: what it misses is no error of the forecast."""
        text = ''.join(self.shuffled_runs())
        text += ''.join(f'cut{run},b,Z,s,{epoch + 1},{0.1 if epoch == 7 else 10}\n' for run in range(5) for epoch in range(8))
        table = self.tables('epochs', text, [3], [self.write('b.csv', text)])[0]
        self.assertIn('5 runs stopped within the last epoch: no interval is learned from them (the first: cut0)', table.notes)
        self.assert_note(table, 'b.csv teaches from 40 runs: ')
        self.assertEqual(table.cell('epochcast', 'n'), 45, 'they are scored')
        self.assertLess(table.cell('epochcast, learnt from b.csv', 'half_width_95_percent'), 5)


class Runs(Scoring):
    @staticmethod
    def whole_runs():
        """Runs of 10 epochs of 10 s after 20 s, with 1 s between them and 3 s at the end."""
        end = 21000 + 9 * 11000 + 10000 + 3000
        return 'path,benchmark,dur_s,start_ms,run_start_ms,run_stop_ms\n' + ''.join(
            f'run{run},b,10,{21000 + epoch * 11000},1000,{end}\n' for run in range(3) for epoch in range(10))

    def test_start_up_and_gaps_and_end_count(self):
        table = self.tables('runs', self.whole_runs() + 'unstamped,b,1,,,\n', [3])[0]
        self.assertEqual(table.cell('epochcast', 'n'), 3)
        # 20 + 10 * (10 + 1) are forecast, 20 + 9 * 11 + 10 + 3 happened.
        self.assertAlmostEqual(table.cell('epochcast', 'bias_percent'), 100 * (130 / 132 - 1))
        self.assertEqual(table.cell('epochcast', 'covered_95_percent'), 100)
        self.assertAlmostEqual(table.cell('start-up + N x first', 'bias_percent'), 100 * (120 / 132 - 1))
        self.assertAlmostEqual(table.cell('start-up + first + (N-1) x second with its pause', 'bias_percent'),
                               100 * (129 / 132 - 1))
        self.assert_note(table, '(unstamped)')

    def test_parts_are_scored_by_themselves(self):
        parts = self.tables('runs', self.whole_runs(), [2])[1]
        self.assertEqual(parts.name, 'parts_2')
        self.assertLessEqual({'10 epochs', 'alike', 'flat', 'b', 'one run a configuration'}, {row['what'] for row in parts.rows})


class Blocks(Scoring):
    def test_work_and_pauses_count(self):
        text = 'path,seq,start_ms,dur_s,work\n'
        for run, untold in (('net/result_0.txt', 5), ('net/result_1.txt', 4), ('other/result_0.txt', 2)):
            at_ms = 5000
            for i in range(5):  # 10 ms a unit, pauses of 200 ms
                work = 1000 if i == 0 else 100
                text += f'Acme/results/box/{run},{i + 1},{at_ms},{0.01 * work},{"" if i == untold else work}\n'
                at_ms += 10 * work + 200
        tables = self.tables('blocks', text, [2])
        rule = 'rate of blocks 2..K x work + median pause'
        self.assertEqual(tables[0].cell(rule, 'n'), 2)
        self.assertAlmostEqual(tables[0].cell(rule, 'max_percent'), 0, 6)
        self.assertAlmostEqual(tables[0].cell('epochcast', 'max_percent'), 0, delta=0.05)  # first_pause
        self.assertIn('1 run left out: the work of a block is not known (Acme/results/box/other/result_0.txt)', tables[0].notes)
        self.assertLessEqual({'5 blocks', 'net', 'alike'}, {row['what'] for row in tables[1].rows})

    def test_the_schedule_that_a_configuration_states_is_a_row_of_its_own(self):
        text, at_ms = 'path,seq,start_ms,dur_s,work,eval_s\n', 5000
        for i in range(40):  # 10 s each; from the 20th on an evaluation of 2 s before each
            at_ms += 2000 if i > 20 else 0
            text += f'Acme/results/box/net/result_0.txt,{i + 1},{at_ms},10,100,{2 if i > 20 else 0}\n'
            at_ms += 10000
        table = self.tables('blocks', text, [2])[0]
        self.assertAlmostEqual(table.cell('epochcast', 'bias_percent'), -100 * 38 / 438, 6)
        self.assertAlmostEqual(table.cell('epochcast, schedule known', 'bias_percent'), 0, 6)
        self.assertEqual(table.cell('epochcast', 'covered_95_percent'), 100)


class Steps(Scoring):
    def test_evaluations_between_them_count(self):
        text, at_ms = 'path,seq,time_ms,step_time_s\n', 5000
        for i in range(200):  # 1 s each, an evaluation of 20 s every 40
            at_ms += 1000 + (20000 if i > 0 and i % 40 == 0 else 0)
            text += f'Acme/results/box/net/result_0.txt,{i + 1},{at_ms},1\nevery/results/box/net/tenth.txt,{i + 1},{10 * at_ms},1\n'
        table = self.tables('steps', text + 'none/results/box/net/r.txt,1,5000,\n', [100])[0]
        self.assertEqual(table.cell('epochcast', 'n'), 1)
        self.assertAlmostEqual(table.cell('epochcast', 'bias_percent'), 0, delta=0.1)
        self.assertAlmostEqual(table.cell('seen + rest x median', 'bias_percent'), -100 * 40 / 280, 6)
        self.assert_note(table, 'its marks do not follow every step')


class Iterations(Scoring):
    def test_the_rest_of_each_run(self):
        """Runs of 60 iterations of 0.1 s or so, the first ten times as long."""
        text = 'run,iteration,duration_s,samples\n' + ''.join(
            f'r{run},{i},{(1 if i == 0 else 0.1) + 0.001 * ((run + 3 * i) % 7)},64\n' for run in range(5) for i in range(60))
        table = self.tables('iterations', text + 'r0,60,-1,64\nshort,0,1,64\n', [10])[0]
        self.assertEqual(table.cell('epochcast', 'n'), 5)
        self.assertLess(table.cell('epochcast', 'max_percent'), 2)
        self.assertGreater(table.cell('rest x first', 'median_percent'), 800)
        self.assertAlmostEqual(table.cell('rest x mean', 'median_percent'), 87, delta=3)
        self.assert_note(table, '1 row left out')


class Apart(Scoring):
    @staticmethod
    def simulated_runs(systems, odd, benchmark='b'):
        """On systems of one submitter each; the first epoch is twice as long everywhere, and on `odd` five times."""
        return ''.join(
            f'r,{benchmark}s{system}/{run},s{system},m{system},{benchmark},{epoch},'
            f'{((5 if system == odd else 2) if epoch == 1 else 1) * (10 + 0.01 * system)}\n'
            for system in range(systems) for run in range(2) for epoch in range(1, 11))

    def scored(self, text, seen):
        text = text if isinstance(text, Path) else 'repo,path,submitter,system,benchmark,seq,dur_s\n' + text
        return self.tables('epochs', text, [seen], apart=('system', 'submitter'))[0]

    def test_each_run_is_forecast_from_other_systems_only(self):
        table, name = self.scored(self.simulated_runs(5, 0), 1), 'relatives, other systems'
        # Its repeat would tell the first epoch of system 0; the other systems are not as slow.
        self.assertEqual([table.cell(name, 'n'), table.cell(name, 'refused')], [8, 2])
        self.assertLess(table.cell(name, 'max_percent'), 0.01)
        self.assertGreater(table.cell('epochcast', 'mean_percent'), 80)
        self.assertEqual(table.cell(name + ', else without', 'n'), 10)
        self.assertGreater(table.cell(name + ', else without', 'max_percent'), 200)

    def test_runs_of_another_benchmark_are_no_relatives(self):
        table = self.scored(self.simulated_runs(1, -1) + self.simulated_runs(2, -1, 'c') + self.simulated_runs(2, -1, 'd'), 1)
        self.assertEqual(table.cell('epochcast', 'n'), 10)
        self.assertEqual(table.cell('relatives, other systems', 'refused'), 2)  # those of b

    @needs('timing/mlperf/epochs-v1.0-v2.0.csv.gz')
    def test_runs_on_other_systems_replace_epochs_of_public_logs(self):
        """Issue 21, item 3: where these agree (a third of the runs), one epoch; two epochs, on all runs."""
        one, two = (self.scored(DATA / 'timing/mlperf/epochs-v1.0-v2.0.csv.gz', seen) for seen in (1, 2))
        name = 'relatives, other systems'
        self.assertLessEqual(one.cell(name + ', that agree', 'mean_percent'), 3)
        self.assertGreaterEqual(one.cell(name + ', that agree', 'n'), 0.3 * 1137)
        self.assertLess(one.cell(name + ', else without', 'mean_percent'), one.cell('epochcast', 'mean_percent'))
        self.assertLessEqual(two.cell(name + ', else without', 'mean_percent'), 1.6)
        self.assertGreaterEqual(two.cell(name + ', else without', 'covered_95_percent'), 93)


class Scaling(Scoring):
    def test_the_largest_from_all_smaller(self):
        text = 'workload,n,throughput\n' + ''.join(f'a,{n},{n / (1 + 0.2 * (n - 1))}\n' for n in (1, 2, 4, 8))
        table = self.tables('scaling', text + 'b,1,1\nb,2,2\n')[0]
        self.assertEqual(table.cell('epochcast', 'n'), 1)
        self.assertAlmostEqual(table.cell('epochcast', 'mean_percent'), 0, 6)
        self.assertAlmostEqual(table.cell('linear from the smallest', 'mean_percent'), 140)
        self.assertAlmostEqual(table.cell('Amdahl by least squares', 'mean_percent'), 0, 6)

    def test_amdahl_has_no_negative_part(self):
        points = [{'workers': workers, 'throughput': throughput} for workers, throughput in ((1, 1), (2, 3))]
        self.assertGreaterEqual(score.amdahl(points, 4), 4)

    @needs('timing/gavel-throughputs.csv')
    def test_below_the_simple_rules_on_measured_data(self):
        """The order that the literature leads to expect, on 8 GPUs from 1, 2 and 4."""
        table = self.tables('scaling', DATA / 'timing/gavel-throughputs.csv')[0]
        for rival in ('linear from the smallest', 'linear from the second', 'Amdahl from the two smallest',
                      'Amdahl by least squares'):
            for figure in ('median_percent', 'p90_percent'):
                self.assertLess(table.cell('epochcast', figure), table.cell(rival, figure), (rival, figure))


class Surface(Scoring):
    def test_follows_a_law_that_the_simple_rules_do_not(self):
        text = 'workload,batch,threads,step_s\n' + ''.join(
            f'made,{batch},{threads},{0.02 + 0.001 * batch / threads}\n' for batch in (16, 32, 64, 128) for threads in (1, 2, 4))
        settings, values, largest = self.tables('surface', text + 'made,none,1,1\n')
        self.assertEqual([table.name for table in (settings, values, largest)],
                         ['surface_setting', 'surface_value', 'surface_largest'])
        self.assertEqual(settings.cell('epochcast', 'n'), 12)
        self.assertLess(settings.cell('epochcast', 'mean_percent'), 0.1)
        self.assertEqual(settings.cell('epochcast', 'covered_80_percent'), 100)
        self.assertGreater(settings.cell('nearest setting', 'mean_percent'), 10)
        self.assert_note(settings, '1 row left out; the first: ')
        self.assertLessEqual({'batch size', 'number of CPUs per process'}, {row['what'] for row in values.rows})
        self.assertIn('24 questions', values.title)
        self.assertEqual(largest.cell('epochcast', 'n'), 1)
        self.assertLess(largest.cell('epochcast', 'mean_percent'), 1)

    def test_refuses_a_file_without_enough_settings(self):
        self.assertIn('four settings', self.why_none('surface', 'workload,batch,step_s\nmade,1,1\nmade,2,1\nmade,4,1\n'))
        self.assertIn("no column 'step_s'", self.why_none('surface', 'workload,batch\nmade,1\n'))

    def test_the_networks_of_a_published_sweep(self):
        """The study of depth: twelve networks on a CPU and a GPU, each from the other eleven."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for words in (['import', 'published', 'depth_sweep', '-o', folder / 'records'],
                      ['export', 'settings', folder / 'records', '-o', folder]):
            subprocess.run([PROGRAM, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        table = self.tables('surface', folder / 'settings.csv')[0]
        self.assertEqual(table.cell('epochcast', 'n') + table.cell('epochcast', 'refused'), 24)
        self.assertLess(table.cell('epochcast', 'median_percent'), table.cell('nearest setting', 'median_percent'))

    @needs('timing/gavel-throughputs.csv')
    def test_beats_the_simple_rules_on_measured_batch_sizes_and_workers(self):
        """Only the form of the weights of neighbours was chosen with these scores in view (docs/explanation/forecasts.md)."""
        table = self.tables('surface', DATA / 'timing/gavel-throughputs.csv')[0]
        for rival in ('nearest setting', 'nearest setting, by its work', 'line through the two nearest'):
            self.assertLess(table.cell('epochcast', 'mean_percent'), table.cell(rival, 'mean_percent'), rival)
        self.assertGreater(table.cell('epochcast', 'covered_80_percent'), 75)
        self.assertGreater(table.cell('epochcast', 'covered_95_percent'), 90)


class Layouts(Scoring):
    HEADER, MEASURED = 'gpus,global_batch,micro_batch,tp,pp,iteration_ms\n', 'timing/layout/vtrain-single.csv'

    def test_asks_for_each_layout_once_whatever_its_batches(self):
        text = self.HEADER + ''.join(f'8,{batch},1,1,{pp},{10 * (batch * pp / 8 + pp - 1) / pp}\n'
                                     for pp in (1, 2, 4, 8) for batch in (16, 32, 64))
        table = self.tables('layouts', text + '8,16,1,1,none,1\n')[0]
        self.assertIn('4 layouts left out', table.title)
        self.assertLess(table.cell('epochcast', 'max_percent'), 5)
        self.assert_note(table, '1 row left out')

    def test_refuses_a_file_without_enough_layouts(self):
        self.assertIn('no network with four layouts or more',
                      self.why_none('layouts', self.HEADER + '8,16,1,1,1,10\n8,32,1,1,1,20\n'))

    def assert_ahead_of_simple_rules(self, table):
        ours = table.cell('epochcast', 'mean_percent')
        self.assertLessEqual(ours, 6)
        for rival in ('nearest layout, by its work', 'median of the others, by their work', 'median of the others at that batch'):
            self.assertLess(ours, table.cell(rival, 'mean_percent'), rival)
        self.assertGreaterEqual(table.cell('epochcast', 'covered_80_percent'), 77)
        self.assertGreaterEqual(table.cell('epochcast', 'covered_95_percent'), 92)

    @unittest.skipUnless(os.environ.get('EPOCHCAST_LONG'), 'minutes: EPOCHCAST_LONG=1 runs it')
    @needs(MEASURED)
    def test_all_measured_networks_are_ahead_of_simple_rules(self):
        table = self.tables('layouts', DATA / self.MEASURED)[0]
        self.assertIn('576 layouts left out', table.title)
        self.assert_ahead_of_simple_rules(table)

    @needs(MEASURED)
    def test_one_measured_network_is_ahead_of_simple_rules(self):
        header, *rows = (DATA / self.MEASURED).read_text().splitlines(True)
        layouts, new = self.tables('layouts', header + ''.join(row for row in rows if ',1024,16,24,1024,' in row))
        self.assertIn('72 layouts left out', layouts.title)
        self.assert_ahead_of_simple_rules(layouts)
        ours = layouts.cell('epochcast', 'mean_percent')
        self.assertGreater(new.cell('epochcast', 'mean_percent'), ours)
        self.assertLess(new.cell('epochcast', 'mean_percent'), new.cell('nearest layout, by its work', 'mean_percent'))
        self.assertGreaterEqual(new.cell('epochcast', 'covered_80_percent'), 75, 'no layout like it was measured: it knows that')


class Memory(Scoring):
    def test_finds_the_law_beside_simple_rules(self):
        text = 'network,parameters,batch,peak_bytes\n' + ''.join(  # 200 MB, 16 bytes a parameter and 3 MB a sample
            f'{network},{parameters},{batch},{200e6 + 16 * parameters + 3e6 * batch}\n'
            for network, parameters in (('a', 1e6), ('b', 5e6)) for batch in (4, 8, 16, 32, 64))
        table = self.tables('memory', text + 'c,1e6,8,1e9\nb,1e6,-8,1e9\n')[0]
        self.assertEqual(table.cell('epochcast', 'n'), 10, 'one run shows nothing of c')
        self.assertLess(table.cell('epochcast', 'mean_percent'), 1)
        self.assertEqual(table.cell('epochcast', 'covered_95_percent'), 100)
        self.assertGreater(table.cell('nearest run', 'mean_percent'), 8)
        self.assertGreater(table.cell('16 bytes a parameter', 'median_percent'), 70)
        self.assert_note(table, '1 row left out')

    def test_leaves_all_runs_of_a_setting_out(self):
        table = self.tables('memory', 'network,batch,peak_bytes\nx,8,100\nx,8,900\nx,16,500\nx,16,500\n')[0]
        self.assertEqual(table.cell('nearest run', 'max_percent'), 400, '500 for 100')
        self.assertEqual(table.cell('16 bytes a parameter', 'refused'), 4)

    def test_refuses_a_file_without_two_settings(self):
        self.assertIn('no network was run at two settings', self.why_none('memory', 'network,batch,peak_bytes\nx,8,100\ny,4,9\n'))


class Disturbed(Scoring):
    def test_names_five_runs_then_counts(self):
        rows = ''.join(f'r{run},1,{"busy" * (run > 0)}\n' * 2 for run in range(8))
        notes = score.disturbed_notes(self.write('x.csv', 'path,dur_s,disturbed\n' + rows))
        self.assertEqual(notes[0], 'r1 was disturbed, and its times are used: busy')
        self.assertEqual(len(notes), 6)
        self.assertTrue(notes[-1].startswith('2 more runs of '))


WORKLOAD_OUT, BATCH_OUT = 'reference_ratios (workload left out)', 'reference_ratios (batch size left out)'


class Devices(Scoring):
    def test_finds_a_ratio_that_all_workloads_share(self):
        text = 'workload,device,time_ms\n' + ''.join(f'{workload},T4,30\n{workload},V100,10\n' for workload in 'abcde')
        tables = self.tables('devices', text)
        self.assertEqual(len(tables), 1)
        self.assertEqual(tables[0].cell(WORKLOAD_OUT, 'n'), 10)
        for method, worst in ((WORKLOAD_OUT, 0), ('flops_ratio', 100 * (3 * 8.1 / 15.7 - 1)),
                              ('bandwidth ratio', 100 * (3 * 320 / 900 - 1)), ('the same time', 200)):
            self.assertAlmostEqual(tables[0].cell(method, 'max_percent'), worst, 6)

    def test_scores_what_a_method_answered_and_counts_its_refusals(self):
        text = 'workload,device,time_ms\n' + ''.join(f'{workload},T4,30\n{workload},V100,10\n{workload},own,20\n'
                                                     for workload in 'abcde')
        table = self.tables('devices', text)[0]
        self.assertEqual([table.cell('specifications', key) for key in ('n', 'refused')], [10, 20], 'of a device not known')
        self.assertEqual(sum(row['method'] == 'specifications' for row in table.rows), 1,
                         'no rule of another method stands in for what it refused')

    def datasheet_width(self, head, here, there):
        """The half-width of 95 % by datasheets of workloads that took these times on both devices."""
        text = f'workload,device,time_ms{head}\n' + ''.join(f'{workload},{here}\n{workload},{there}\n' for workload in 'abc')
        table = self.tables('devices', text)[0]
        self.assertEqual(table.cell('specifications', 'n'), 6)
        self.assertAlmostEqual(table.cell('the same time', 'max_percent'), 300, msg='4 times as fast')
        return table.cell('specifications', 'half_width_95_percent')

    def test_wider_where_the_batch_is_another_or_not_stated(self):
        same = self.datasheet_width(',batch', 'RTX 3060,80,64', 'A100-SXM4-80GB,20,64')
        self.assertGreater(self.datasheet_width(',batch', 'RTX 3060,80,64', 'A100-SXM4-80GB,80,256'), 1.1 * same, 'of a sample')
        self.assertGreater(self.datasheet_width('', 'RTX 3060,80', 'A100-SXM4-80GB,20'), 1.05 * same, '12 and 80 GB')
        self.assertAlmostEqual(self.datasheet_width('', 'RTX 3090,80', 'RTX 4090,20'),
                               self.datasheet_width(',batch', 'RTX 3090,80,8', 'RTX 4090,20,8'), msg='the same memory')

    def test_learns_widths_from_another_file(self):
        old = self.write('old.csv', 'workload,device,time_ms,batch\na,T4,90,8\na,V100,3,8\n')
        table = self.tables('devices', 'workload,device,time_ms,batch\nb,T4,30,8\nb,V100,10,8\n', [], [old])[0]
        learned = 'specifications, widths learnt elsewhere'
        self.assertAlmostEqual(table.cell(learned, 'mean_percent'), table.cell('specifications', 'mean_percent'))
        self.assertGreater(table.cell(learned, 'half_width_95_percent'),
                           2 * table.cell('specifications', 'half_width_95_percent'), '30 times as fast there')

    def test_refuses_a_file_without_pairs(self):
        self.assertIn('no workload was measured on two devices',
                      self.why_none('devices', 'workload,device,time_ms\na,T4,30\nb,V100,30\n'))

    def assert_below_plain_rules(self, table):
        for key in ('mean_percent', 'p90_percent'):
            for rival in ('flops_ratio', 'bandwidth ratio', 'geometric_mean'):
                self.assertLess(table.cell('specifications', key), table.cell(rival, key), (key, rival))

    def assert_honest_intervals(self, table, method):
        for key, low, high in (('covered_80_percent', 76, 90), ('covered_95_percent', 92, 98)):
            self.assertGreaterEqual(table.cell(method, key), low, (method, key))
            self.assertLessEqual(table.cell(method, key), high, (method, key))

    @needs('timing/deepbench-train-fp32-gemm.csv')
    def test_operators_of_deepbench(self):
        for name, rows, flops_percent, most in (('gemm', 960, 46.1, 13), ('conv', 1480, 30.8, 16)):
            table = self.tables('devices', DATA / f'timing/deepbench-train-fp32-{name}.csv')[0]
            self.assertEqual(table.cell(WORKLOAD_OUT, 'n'), rows)
            self.assertAlmostEqual(table.cell('flops_ratio', 'mean_percent'), flops_percent, delta=0.05)  # by others before
            self.assertLessEqual(table.cell(WORKLOAD_OUT, 'mean_percent'), most)
            self.assert_below_plain_rules(table)
            for method in (WORKLOAD_OUT, 'specifications', 'specifications' + score.LEARNT_PAIRS):
                self.assert_honest_intervals(table, method)
            self.assertLess(table.cell('specifications', 'mean_percent'),
                            table.cell('datasheets weighted by counted FLOPs and bytes', 'mean_percent'))

    @needs('timing/gavel-throughputs.csv')
    def test_trainings_of_gavel_with_the_host_bound_ones_flagged(self):
        tables = self.tables('devices', DATA / 'timing/gavel-throughputs.csv')
        self.assertEqual(len(tables), 3)
        self.assertEqual(tables[0].cell(BATCH_OUT, 'n') + tables[2].cell(BATCH_OUT, 'n'), 26 * 6)
        self.assert_below_plain_rules(tables[0])
        for method in (WORKLOAD_OUT, BATCH_OUT, 'specifications'):
            self.assert_honest_intervals(tables[0], method)
            self.assert_honest_intervals(tables[0], method + score.LEARNT_PAIRS)
        for workload in ('Recommendation at 512: 6 rows', 'Recommendation at 8192: 6 rows', 'ResNet-18 at 16: 6 rows',
                         'ResNet-18 at 32: 6 rows', 'Transformer at 256: 2 rows'):
            self.assert_note(tables[2], workload)


class PairIntervals(unittest.TestCase):
    """Workloads that take 1 s on each of the devices a, b, c, forecast with an error for each pair."""

    def learned(self, *asked, intervals=True):
        """`asked`: pair, logarithm of the error, number of workloads."""
        questions, answers = [], []
        for pair, error, count in asked:
            questions += [score.DeviceQuestion('w', tuple(sorted(pair)), 1, 1, None, None, '', {})] * count
            answers += [score.with_log_widths(math.exp(error), (0.1, 0.2)) if intervals else score.Prediction(1)] * count
        return answers, score.learnt_from_other_pairs(questions, answers)

    def test_the_quantile_is_the_least_value_with_its_share_of_the_weight(self):
        self.assertEqual(score.weighted_quantile([(3, 1), (1, 1), (2, 1), (4, 1)], 0.5), 2)
        self.assertEqual(score.weighted_quantile([(1, 8), (9, 1), (5, 1)], 0.8), 1)
        self.assertEqual(score.weighted_quantile([(1, 8), (9, 1), (5, 1)], 0.81), 5)

    def test_of_the_errors_on_other_pairs(self):
        answers, learned = self.learned(('ab', 0.1, 50), ('bc', -0.3, 3), ('ac', 1.5, 1))
        width = lambda one: math.log(one.of_95[1] / one.value)
        self.assertAlmostEqual(width(learned[0]), 1.5, msg='not from its own small errors')
        self.assertAlmostEqual(width(learned[53]), 0.3, msg='not from its own large error')
        self.assertAlmostEqual(learned[0].value, answers[0].value)

    def test_both_directions_of_a_pair_are_one_and_two_pairs_too_few(self):
        self.assertIsNone(self.learned(('ab', 0.1, 1), ('ba', 0.1, 1), ('bc', 0.1, 1))[1])

    def test_without_intervals_there_is_nothing_to_learn(self):
        self.assertIsNone(self.learned(('ab', 0.1, 1), ('bc', 0.1, 1), ('ac', 0.1, 1), intervals=False)[1])


MLPERF_SYSTEMS = {
    'DSS8440x8xA30-NVBRIDGE': 'a30', 'R5500G5-Intelx8A100-SXM-80GB': 'a100_sxm4_80gb',
    'R5500G5-AMDx8A100-SXM-80GB': 'a100_sxm4_80gb', 'DSS8440x8A100-PCIE-40GB': 'a100_pcie_40gb',
    'ESC8000A-E11-8xA100-PCIE-80GB-NVBridge': 'a100_pcie_80gb', 'XE9680x8H100-SXM-80GB': 'h100_sxm5',
    '1xBM.GPU.H100.8': 'h100_sxm5', 'ESC8000A-E12-8xH100-PCIE-80GB': 'h100_pcie', 'SR675V3-8xL40S_PCIe_48GB_350W': 'l40s',
    'PRIMERGY-CDI-L40Sx8': 'l40s'}


class LearnedWidths(Scoring):
    """What forecasts by datasheets have learned, computed again from the data that it is learned from."""

    def assert_shipped(self, name, learned):
        for shipped, found in zip(score.constants()[name], learned):
            self.assertAlmostEqual(shipped, found, delta=0.005)

    @needs('timing/gavel-throughputs.csv')
    def test_of_programs_are_those_of_the_trainings_of_gavel(self):
        self.assert_shipped('program_widths', score.learned_widths(PROGRAM, [DATA / 'timing/gavel-throughputs.csv']))

    @needs('timing/deepbench-train-fp32-gemm.csv')
    def test_of_operators_are_those_of_deepbench(self):
        self.assert_shipped('operator_widths', score.learned_widths(
            PROGRAM, [DATA / f'timing/deepbench-train-fp32-{name}.csv' for name in ('gemm', 'conv')]))

    def mlperf_epochs(self):
        """Median epochs but the first of MLPerf runs on eight GPUs of one kind, all of 16 bits."""
        times = defaultdict(list)
        for name in ('v1.0-v2.0', 'v4.0'):
            for row in score.Rows(DATA / f'timing/mlperf/epochs-{name}.csv.gz').rows:
                if (row['system'] in MLPERF_SYSTEMS and row['benchmark'] in ('resnet', 'rnnt', 'maskrcnn') and
                        row['kind'] == 'epoch' and float(row['seq']) > 1):
                    times[row['benchmark'], MLPERF_SYSTEMS[row['system']]].append(float(row['dur_s']))
        return self.write('x.csv', 'workload,device,time_ms,precision\n' + ''.join(
            f'{benchmark},{device},{1e3 * score.quantile(epochs_s, 0.5)},fp16\n'
            for (benchmark, device), epochs_s in sorted(times.items())))

    @needs('timing/mlperf/epochs-v4.0.csv.gz')
    def test_of_a_batch_that_may_differ_are_those_of_mlperf(self):
        path = self.mlperf_epochs()
        self.assert_shipped('batch_widths', score.learned_batch_widths(PROGRAM, path))
        table = self.tables('devices', path)[0]
        mean = table.cell('specifications', 'mean_percent')
        self.assertEqual(table.cell('specifications', 'n'), 42 + 12 + 6)
        self.assertLess(mean, table.cell('bandwidth ratio', 'mean_percent'))
        self.assertLess(mean, table.cell('geometric_mean', 'mean_percent'))
        self.assertAlmostEqual(table.cell('specifications', 'covered_80_percent'), 80, delta=7)
        self.assertAlmostEqual(table.cell('specifications', 'covered_95_percent'), 95, delta=2.1)


class PublishedTimes(Scoring):
    """Tables of others in the columns of `predict --pairs`."""

    def rows(self, made, text):
        file = score.Rows(self.write('x.csv', text))
        return list(made(file)), file.excluded

    def test_a_matrix_product_is_counted_from_its_shape(self):
        rows, _ = self.rows(score.products, 'device,m,n,k,a_transpose,b_transpose,time_ms,tflops\nT4,10,20,30,N,T,0.5,1\n')
        self.assertEqual([rows[0][key] for key in ('workload', 'flops', 'bytes')],
                         ['gemm 10x20x30 NT', 2 * 10 * 20 * 30, 4 * (10 * 30 + 30 * 20 + 10 * 20)])

    def test_a_convolution_is_counted_from_its_layer_and_its_passes_are_apart(self):
        """6 x 6 image, filter of 3 x 3, padding 1, stride 2: 3 x 3 outputs."""
        rows, excluded = self.rows(score.convolutions, ','.join(['device', *score.FILTERS]) +
                                   ',forward_ms,wrt_inputs_ms,wrt_parameters_ms\nT4,6,6,2,5,7,3,3,1,1,2,2,1,,3\n')
        self.assertEqual(len(excluded), 1)
        self.assertEqual([row['operator'] for row in rows], ['convolution forward', 'convolution wrt_parameters'])
        self.assertEqual(rows[0]['flops'], 2 * (5 * 7 * 9) * (2 * 9))
        self.assertEqual(rows[0]['bytes'], 4 * (5 * 2 * 36 + 7 * 2 * 9 + 5 * 7 * 9))

    def test_of_gavel_counts_what_ran_on_one_device(self):
        rows, excluded = self.rows(score.gavels, 'device,job,scale_factor,steps_per_s\nv100,ResNet-18 (batch size 16),1,20\n'
                                   'v100,ResNet-18 (batch size 16),2,40\nk80,A3C,1,4\nk80,CycleGAN,1,0\n')
        self.assertEqual([(row['workload'], row['batch'], row['time_ms']) for row in rows],
                         [('ResNet-18', '16', 50), ('A3C', 1, 250)])
        self.assertEqual(len(excluded), 1)


class PastJobs(Scoring):
    """Made here (simulated): one job an hour, by two users in turn, another one first each day."""
    COLUMNS = 'job,submit,eligible_after_s,start_after_s,elapsed_s,limit_s,partition,account,nodes,cpus,gpus,state\n'

    def jobs(self, count, first=0):
        """Each waits 600 s, runs 1000 s and asks for 7200 s."""
        return self.COLUMNS + ''.join(
            f'{i},2021-05-{1 + i // 24:02} {i % 24:02}:00:00,0,600,1000,7200,p,u{(i + i // 24) % 2},1,4,{i % 2},COMPLETED\n'
            for i in range(first, count))

    def test_waits_are_scored_in_order_of_time(self):
        table = self.tables('waits', self.jobs(240) + '9,yesterday,0,1,1,1,p,u,1,1,0,COMPLETED\n')[0]
        self.assertEqual(table.cell('past waits, by batches', 'n'), 235, '5 of the beginning')
        self.assertEqual(table.cell('past waits, by batches', 'within_2_percent'), 100)
        self.assertAlmostEqual(table.cell('past waits, by batches', 'median_error_h'), 0)
        self.assertEqual(table.cell('newest 200', 'within_2_percent'), 100)
        self.assertLessEqual({'all', 'second half of the time', 'with a GPU'}, {row['part'] for row in table.rows})
        self.assert_note(table, "submit: found 'yesterday'")

    def test_one_file_is_learned_from_and_only_the_other_scored(self):
        old, new = self.write('old.csv', self.jobs(140)), self.write('new.csv', self.jobs(240, 140))
        for kind, method in (('waits', 'past waits, by batches'), ('history', 'past jobs, by batches')):
            table = self.tables(kind, new, learn=[old])[0]
            self.assertIn('100 jobs, after 140 that are only learned from', table.title)
            self.assertEqual(table.cell(method, 'n'), 100, 'the first has a past too')
            self.assertEqual(table.cell(method, 'covered_80_percent'), 100)
            with self.assertRaises(SystemExit) as ended:
                self.tables(kind, old, learn=[new])
            for part in ('--learn: found no job before the first of ', 'begins on 2021-05-01, what to learn from on 2021-05-06',
                         'score the one that begins later'):
                self.assertIn(part, str(ended.exception))

    def test_a_missing_column_is_named(self):
        self.assertIn('elapsed_s', self.why_none('waits', 'submit,start_after_s\n'))

    def test_limits_are_scored_beside_the_own_ones(self):
        table = self.tables('history', self.jobs(240) + '9,2021-05-02 00:00:00,0,1,0,1,p,u,1,1,0,FAILED\n')[0]
        ours = {key: table.cell('past jobs, by batches', key) for key in table.columns}
        self.assertEqual(ours['n'], 240)
        self.assertEqual(ours['covered_80_percent'], 100, 'all take 1000 s')
        self.assertEqual(ours['within_limit_percent'], 100)
        self.assertAlmostEqual(ours['own_per_used'], 7.2)
        self.assertLess(ours['limit_per_used'], 2, '1140 s, but the first 20')
        self.assertAlmostEqual(table.cell('its own limit', 'limit_per_used'), 7.2)
        self.assert_note(table, '1 row left out; the first: job 9: it neither')

    @needs('queue/cedar.csv.gz')
    def test_waits_hold_on_cedar_ahead_of_the_simple_rules(self):
        table = self.tables('waits', DATA / 'queue/cedar.csv.gz')[0]
        ours = {key: table.cell('past waits, by batches', key) for key in table.columns}
        self.assertGreater(ours['within_2_percent'], 45)
        self.assertGreater(ours['within_3_percent'], 62)
        self.assertAlmostEqual(ours['covered_80_percent'], 80, delta=3)
        self.assertGreater(ours['within_2_percent'], table.cell('newest 10 of the user in the partition', 'within_2_percent'))

    @needs('queue/cedar.csv.gz')
    def test_limits_hold_on_cedar_with_fewer_hours_than_the_own_ones(self):
        table = self.tables('history', DATA / 'queue/cedar.csv.gz')[0]
        ours = {key: table.cell('past jobs, by batches', key) for key in table.columns}
        self.assertAlmostEqual(ours['covered_80_percent'], 80, delta=3)
        self.assertAlmostEqual(ours['covered_95_percent'], 95, delta=2.1)
        self.assertGreaterEqual(ours['within_limit_percent'], 98)
        self.assertLessEqual(ours['limit_per_used'], 3.5)


if __name__ == '__main__':
    PROGRAM = Path(sys.argv.pop(1)).resolve() / 'bin/epochcast-analyze'
    if not PROGRAM.exists():
        print('not there:', PROGRAM)
        sys.exit(77)
    unittest.main()
