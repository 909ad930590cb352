"""Single runs of the trainer: what their records say, how they stop, fail and answer."""
import csv
import http.client
import json
import math
import signal
import statistics
import subprocess
import sys
import threading
import time

from .session import NotRun, one_line
from .smoke import TINY, model_words

DISC = ['--model=mlp', '--dataset=disc', '--batch=50']
DROPOUT = ['--model=distilbert', '--model.layers=2', '--model.hidden=64', '--model.heads=4', '--model.intermediate=128', '--model.vocabulary=500',
           '--model.positions=32', '--model.length=32', '--model.dropout=0.1', '--dataset=synthetic', '--dataset.samples=64', '--batch=8', '--epochs=3']


def convolutions(session, samples):
    words = ['--model=wide_resnet', '--dataset=synthetic']
    if session.quick:
        return [*words, '--model.widen=1', f'--dataset.samples={samples // 32}', '--batch=8']
    return [*words, f'--dataset.samples={samples}', '--batch=64']


def device_times(session):
    """The sum of the events' times against the wall times, which end with a synchronisation."""
    session.train('times', *convolutions(session, 1024), '--epochs=3')
    steps, epochs = session.lines('times', 'iterations'), session.lines('times', 'epochs')
    per_epoch = len(steps) // len(epochs)
    device_s = sum(step['device_s'] for step in steps[per_epoch:])
    wall_s = sum(epoch['wall_s'] for epoch in epochs[1:])
    missing = sum(step['device_s'] <= 0 for step in steps)
    assert missing == 0, f'{missing} of {len(steps)} steps have no device time'
    # Events of the simulated device pass late, by as much as the machine is busy.
    assert session.simulated or 0.5 * wall_s < device_s <= 1.02 * wall_s, f'device {device_s:.4f} s, wall {wall_s:.4f} s'
    return f'epochs 2 and 3: device {device_s:.4f} s of wall {wall_s:.4f} s'


def record(session):
    """Alone on the card: nobody else's process is in the record."""
    session.train('record', *convolutions(session, 4096), '--epochs=3', '--telemetry=100ms')
    machine = session.lines('record', 'machines')[0]
    samples = session.lines('record', 'telemetry_gpus')
    work = session.lines('record', 'work')[0]['precision']
    peak = session.metrics('record', 'peak_gpu_memory_bytes')[-1]
    assert machine['gpu_name'] and machine['gpu_uuid'], 'the record names no GPU'
    assert samples, 'there are no samples of the GPU'
    last = samples[-1]
    assert last['power_w'] > 0 and last['memory_bytes'] > 0, f'a sample is {last}'
    assert all(row['other_processes'] == 0 for row in samples), 'the record counts other processes on the GPU'
    assert 0 < peak <= machine['gpu_memory_bytes'] or session.simulated, f'peak {peak}, memory {machine["gpu_memory_bytes"]}'
    assert work == 'fp32+tf32-conv', f'the arithmetic is called {work}'
    return f'{machine["gpu_name"]}, {len(samples)} samples, {last["power_w"]:.0f} W, peak {peak / 2**20:.0f} MiB, {work}'


def constant_memory(session):
    steps = 50 if session.quick else 500
    session.train('memory-use', *DISC, f'--dataset.samples={10 * steps}', '--epochs=5')
    peaks = session.metrics('memory-use', 'peak_gpu_memory_bytes')
    assert peaks[-1] == peaks[0], f'peaks of memory after each epoch: {peaks}'
    return f'peak after {steps} to {5 * steps} steps {peaks[0] / 2**20:.0f} MiB'


def profile(session):
    trace = session.work / 'trace.json'
    session.train('profile', *convolutions(session, 4096), '--epochs=1', '--profile=5', '--profile_shapes', '--profile_flops', f'--profile_trace={trace}')
    operators, shapes = session.lines('profile', 'operators'), session.lines('profile', 'operator_shapes')
    assert any(row['flops'] > 0 for row in operators) and shapes, 'no FLOP or no shapes'
    assert json.loads(trace.read_text())['traceEvents'], 'the trace is empty'
    kernels_s = sum(row['self_device_s'] for row in operators if row['place'] == 'host')
    covered = session.lines('profile', 'profile')[0]
    if session.simulated:
        return f'{len(operators)} operators; no kernels: the device is simulated'
    first = covered['first_iteration']
    device_s = sum(row['device_s'] for row in session.lines('profile', 'iterations')[first:first + 5])
    assert 0 < kernels_s <= 2 * device_s, f'kernels {kernels_s:.4f} s, the 5 steps {device_s:.4f} s'
    return f'kernels linked to operators {1000 * kernels_s:.2f} ms, the 5 steps {1000 * device_s:.2f} ms, wall {1000 * covered["wall_s"]:.2f} ms'


def graphs(session):
    """Replays of captured steps against the same steps, launched kernel by kernel. Two runs may measure other kernels as the fastest."""
    if session.without_graphs:
        raise NotRun('the smoke part found that they do not work here')
    seen = []
    for name in ('mlp', 'dcgan', 'distilbert'):
        words = [*model_words(session, name), '--dataset.samples=160', '--batch=16', '--epochs=2', '--optimizer.learning_rate=1e-5',
                 '--kernels=default']
        points = [f'graphs-{name}-{used}' for used in ('true', 'false')]
        for point in points:
            session.train(point, *words, f'--cuda_graphs={point.split("-")[-1]}')
        note = session.lines(points[0], 'header')[-1]['note']
        assert 'steps were replays' in note, f'{name}: {note or "no note"}'
        losses = [[row['value'] for row in session.lines(point, 'metrics') if row['name'].startswith('loss')] for point in points]
        worst = max(abs(a - b) / abs(b) for a, b in zip(*losses, strict=True))
        assert worst <= 1e-3, f'{name}: losses {losses}'
        step_s = [statistics.median(row['device_s'] for row in session.lines(point, 'iterations')[-10:]) for point in points]
        seen.append(f'{name}: {note}; {1000 * step_s[0]:.3f} ms a step, {1000 * step_s[1]:.3f} without; losses differ by {worst:.2g}')
    return '; '.join(seen)


def same_accuracy(session):
    words = ['--model=mlp', '--model.depth=5', '--dataset=disc', '--dataset.samples=2000', '--batch=100', '--epochs=5']
    for device in ('cpu', 'cuda'):
        session.train(f'accuracy-{device}', *words, device=device)
    accuracies = [session.metrics(f'accuracy-{device}', 'accuracy')[-1] for device in ('cpu', 'cuda')]
    assert abs(accuracies[0] - accuracies[1]) <= 0.01, f'accuracies {accuracies}'
    return f'accuracies after 5 epochs: CPU {accuracies[0]}, here {accuracies[1]}'


def last_loss(session, point, job=1):
    return session.metrics(point, 'loss', job)[-1]


def near(losses, part):
    assert abs(losses[0] - losses[1]) <= part * abs(losses[0]), f'last losses {losses}'
    return f'last losses of the whole and of the resumed run {losses}'


def signal_and_resume(session):
    """A signal within a step, dropout's random numbers on the device. A step takes less than a millisecond: an epoch would be over."""
    words = [*DROPOUT[:-1], f'--epochs={6 if session.quick else 200}', '--optimizer.learning_rate=1e-6']
    session.train('whole', *words)
    command = session.train_words('stopped', *words)
    with subprocess.Popen(command, env={**session.programs.environment, 'EPOCHCAST_JOB_ID': '1'}, text=True, cwd=session.work,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as stopped:
        watch = signal_after(stopped, 'epoch 3/')
        try:
            stopped.wait(session.within(60))
        finally:
            stopped.kill()
        watch.join()
    assert stopped.returncode == 75, f'stopped with {stopped.returncode}, expected 75'
    session.train('stopped', *words, '--resume', job=2)
    # Gradients of attention and of the table of words are summed in any order on a GPU.
    return near([last_loss(session, 'whole'), last_loss(session, 'stopped', 2)], 1e-6 if session.simulated else 1e-2)


def signal_after(process, text):
    """SIGTERM once PROCESS has printed a line that starts with TEXT."""
    def watch():
        for line in process.stderr:
            if line.startswith(text):
                process.send_signal(signal.SIGTERM)
    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def stop_and_move(session):
    """Stopped within an epoch, continued on the other device, in the CPU's arithmetic."""
    fp32 = {'NVIDIA_TF32_OVERRIDE': '0'}
    words = ['--model=wide_resnet', *TINY['wide_resnet'], '--model.dropout=0', '--optimizer.learning_rate=1e-3', '--dataset=synthetic',
             '--dataset.samples=24', '--batch=4', '--epochs=3']
    session.train('moved-whole', *words, device='cpu')
    for first, second in (('cpu', 'cuda'), ('cuda', 'cpu')):
        point = f'moved-{first}'
        session.train(point, *words, '--max_iterations=8', device=first, environment=fp32)
        session.train(point, *words, '--resume', device=second, job=2, environment=fp32)
        seen = near([last_loss(session, 'moved-whole'), last_loss(session, point, 2)], 1e-3)
    return seen


def time_limit(session):
    session.train('limited', *DISC, '--dataset.samples=20000', '--epochs=100000', '--max_time=2s')
    return f'stopped after {len(session.lines("limited", "iterations"))} steps: {session.lines("limited", "header")[-1]["outcome_text"]}'


def recipe(session):
    """fp16 whose first scale overflows, accumulation, clipping, and what an fp16 update skips."""
    session.train('recipe', '--model=distilbert', *TINY['distilbert'], '--dataset=synthetic', '--dataset.samples=32', '--batch=4', '--epochs=2',
                  '--precision=fp16', '--accumulate=2', '--clip_norm=1', '--dataset.held_out=8', '--best_by=val_accuracy')
    session.train('skipped', *DISC, '--dataset.samples=500', '--epochs=1', '--precision=fp16', '--optimizer.learning_rate=1000')
    loss = last_loss(session, 'recipe')
    assert math.isfinite(loss), f'the loss is {loss}'
    assert session.metrics('recipe', 'val_accuracy'), 'no score of the held-out samples'
    note = session.lines('skipped', 'header')[-1]['note']
    return f'loss {loss:.4g}; at a learning rate of 1000: {note or "no note"}'


SMALL_TEXTS = ['--model.layers=1', '--model.hidden=32', '--model.heads=4', '--model.intermediate=40', '--model.vocabulary=60', '--model.length=32']
OTHERS = {'samples of the GAN': ['--model=dcgan', *TINY['dcgan'], '--sample_every=1'],
          'NovoGrad': ['--model=mlp', '--optimizer=novograd'],
          'convnext': ['--model=convnext_tiny', '--model.depths=1,1,1,1', '--model.width=16', '--model.size=64', '--model.labels=10'],
          'minilm': ['--model=minilm', *SMALL_TEXTS],
          'roberta': ['--model=roberta', *SMALL_TEXTS]}


def others(session):
    for name, words in OTHERS.items():
        session.train(f'other-{name.replace(" ", "-")}', *words, '--dataset=synthetic', '--dataset.samples=4', '--batch=4', '--epochs=1')
    return ', '.join(OTHERS)


def infers_as_cpu(session):
    answers = []
    for device in ('cpu', 'cuda'):
        session.train(f'infer-{device}', *model_words(session, 'distilbert'), '--task=infer', '--dataset.samples=16', '--batch=8', device=device)
        with open(session.work / 'points' / f'infer-{device}' / 'answers.csv') as file:
            answers.append(list(csv.reader(file)))
    head, *rows = answers[0]
    assert answers[1][0] == head and len(answers[1]) == len(answers[0]), 'the files have other columns or rows'
    worst = max((abs(float(a) - float(b)) for mine, theirs in zip(rows, answers[1][1:]) for a, b in zip(mine, theirs)
                 if '.' in a or '.' in b), default=0)
    assert worst <= 1e-3, f'largest difference {worst:.2g}'
    return f'{len(rows)} answers, largest difference to the CPU\'s {worst:.2g}'


def serves(session):
    """One request; the service ends in order."""
    address, vocabulary = session.work / 'address', session.work / 'vocab.txt'
    vocabulary.write_text('\n'.join(['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'a', 'moving', 'music', *(f'w{i}' for i in range(60))]) + '\n')
    small = [word for word in TINY['distilbert'] if word.startswith('--model') and 'vocabulary' not in word]
    command = [*session.programs.ours('epochcast-train'), 'serve', '--device=cuda', f'--threads={session.threads}', '--port=0',
               f'--address-file={address}', '--model=distilbert', *small, '--model.vocabulary=68', '--dataset=sst2',
               f'--dataset.vocabulary={vocabulary}']
    with subprocess.Popen(command, env={**session.programs.environment, 'EPOCHCAST_JOB_ID': '1'}, cwd=session.work, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as service:
        try:
            end = time.monotonic() + session.within(60)
            while not address.exists() and service.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            assert address.exists(), 'the service did not start'
            connection = http.client.HTTPConnection(address.read_text().split('//')[-1].strip(), timeout=session.within(20))
            connection.request('POST', '/predict', json.dumps({'text': ['a moving music']}))
            response = connection.getresponse()
            body = response.read().decode()
            service.send_signal(signal.SIGTERM)
            service.wait(session.within(20))
        finally:
            service.kill()
    assert response.status == 200 and 'label' in body, f'{response.status}: {body[:200]}'
    assert service.returncode == 0, f'the service ended with {service.returncode}'
    return body.strip()[:120]


def deterministic(session):
    seen = []
    for name in ('wide_resnet', 'distilbert'):
        words = [*model_words(session, name), '--dataset.samples=32', '--batch=8', '--epochs=2', '--deterministic']
        for turn in 'ab':
            session.train(f'same-{name}-{turn}', *words)
        losses = [session.metrics(f'same-{name}-{turn}', 'loss') for turn in 'ab']
        note = session.lines(f'same-{name}-a', 'header')[-1]['note']
        assert losses[0] == losses[1] or 'deterministic' in note, f'{name}: losses {losses} without a note'
        seen.append(f'{name}: {"the same bits" if losses[0] == losses[1] else "other bits"}{", " + note if note else ""}')
    return '; '.join(seen)


def out_of_memory(session):
    """Tensors of fewer than 2^31 elements, more than 170 GB together."""
    words, environment = ['--model=distilbert', '--model.length=512', '--batch=1200', '--dataset.samples=1200'], {}
    if session.simulated:
        words, environment = ['--model=wide_resnet', '--model.widen=1', '--batch=8', '--dataset.samples=8'], {'SIMULATED_CUDA_BYTES': '3000000'}
    seen = one_line(session.train('memory', *words, '--dataset=synthetic', '--epochs=1', environment=environment, status=None), 'out of memory')
    header = session.lines('memory', 'header')[-1]
    assert (header['outcome'], header['cause']) == ('failed', 'out_of_memory'), f'the record says {header["outcome"]}, {header["cause"]}'
    return seen


def missing_gpu(session):
    return one_line(session.train('hidden', *DISC, '--epochs=1', environment={'CUDA_VISIBLE_DEVICES': '-1'}, status=None), 'device cuda: ')


def busy_gpu(session):
    session.needs_gpu()
    code = ('import torch; free = torch.cuda.mem_get_info()[0]; x = torch.empty(int(free * 0.985), dtype=torch.uint8, device="cuda"); '
            'print("full", flush=True); input()')
    with subprocess.Popen([sys.executable, '-c', code], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        try:
            other.stdout.readline()
            done = session.train('busy', '--model=wide_resnet', '--dataset=synthetic', '--dataset.samples=1024', '--batch=512', '--epochs=1', status=None)
            return one_line(done, 'out of memory')
        finally:
            other.kill()


def visible_device(session):
    session.train('visible', *DISC, '--epochs=1', environment={'CUDA_VISIBLE_DEVICES': '0'})
    machine = session.lines('visible', 'machines')[0]
    assert machine['gpu_name'], 'the record names no GPU'
    return f'the record names {machine["gpu_name"]} {machine["gpu_uuid"]}'
