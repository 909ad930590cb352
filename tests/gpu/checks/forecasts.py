"""Forecasts against what was measured, and what recording costs. Alone on the card: others would disturb the records."""
import csv
import statistics
import time

from turns import Worker

from .runs import convolutions
from .session import NotRun


def measure_device(session):
    session.run([*session.programs.ours('epochcast-train'), 'measure-device', '--device=cuda', '-o', session.out / 'device.yaml'])
    return '; '.join(line.strip().split(', checked')[0] for line in (session.out / 'device.yaml').read_text().splitlines() if 'achieved' in line)


def forecast(session):
    words = convolutions(session, 2048)
    session.train('pilot', *words, '--epochs=2')
    whole_epochs = 4 if session.quick else 10
    start = time.monotonic()
    session.train('truth', *words, f'--epochs={whole_epochs}')
    wall_s = time.monotonic() - start
    told = session.analyze('predict', session.records / 'pilot-1.h5', '--epochs', whole_epochs, '--part', 'forecast', '--format', 'csv', status=None)
    if told.returncode == 1 and ',refused' in told.stdout:  # a right answer where something else disturbed the two epochs
        raise NotRun(f'{told.stdout} {told.stderr}'.strip())
    assert told.returncode == 0, told.stderr
    told = next(csv.DictReader(told.stdout.splitlines()))
    truth = float([row for row in session.table('runs', session.records / 'truth-1.h5') if row['point'] == 'truth'][0]['total_s'])
    low, high, forecast_s = (float(told[key]) for key in ('low_95_s', 'high_95_s', 'forecast_s'))
    return (f'{whole_epochs} epochs from 2: forecast {forecast_s:.2f} s (95 % {low:.2f} to {high:.2f}), measured {truth:.2f} s, '
            f'{100 * (forecast_s / truth - 1):+.1f} %; the process took {wall_s:.2f} s')


def forecast_from_cpu(session):
    words = convolutions(session, 2048 if session.quick else 64)
    session.train('on-cpu', *words, '--epochs=3', device='cpu')
    session.train('on-gpu', *words, '--epochs=20')
    session.run([*session.programs.ours('epochcast-train'), 'measure-device', '--device=cpu', f'--threads={session.threads}',
                 '-o', session.out / 'cpu.yaml'])
    told = session.analyze('predict', session.records / 'on-cpu-1.h5', '--from', session.out / 'cpu.yaml', '--on', session.out / 'device.yaml',
                           '--part', 'step', '--format', 'csv')
    step_s = statistics.median(row['device_s'] for row in session.lines('on-gpu', 'iterations')[3:])
    return f'measured step {1000 * step_s:.3f} ms; forecast: {told.stdout.strip()}'


def cost_of_recording(session):
    """Steps of the trainer, as its record has them, against the same steps without a record, in turns."""
    depth, steps, rounds = (5, 100, 1) if session.quick else (8, 1500, min(3, session.rounds))
    settings = ['model=mlp', f'model.depth={depth}', 'dataset=disc', f'dataset.samples={25 * steps}', 'batch=100', 'device=cuda']
    bare = Worker([*session.programs.test_program('bench_steps'), session.threads, *settings], session.programs.environment, session.within(90))
    recorded = []
    try:
        for turn in range(rounds):
            bare.turn(steps)
            session.train(f'cost-{turn}', *(f'--{word}' for word in settings[:-1]), '--epochs=4')
            epochs = session.lines(f'cost-{turn}', 'epochs')[1:]
            recorded.append(sum(row['iterations'] for row in epochs) / sum(row['wall_s'] for row in epochs))
    finally:
        bare.end()
    ratio = statistics.median(bare.rates) / statistics.median(recorded)
    steps = [row for row in session.lines('cost-0', 'iterations') if row['epoch'] == 1]
    between_s = statistics.median(after['start_s'] - row['start_s'] - row['wait_s'] - row['step_s'] for row, after in zip(steps, steps[1:]))
    step_s = statistics.median(row['step_s'] for row in steps)
    return (f'{statistics.median(bare.rates):.0f} steps/s in a loop that does nothing else, {statistics.median(recorded):.0f} in a '
            f'recorded epoch, with loading: {100 * (ratio - 1):+.1f} %; between two recorded steps {1e6 * between_s:.1f} us, '
            f'{100 * between_s / step_s:.2f} % of a step')
