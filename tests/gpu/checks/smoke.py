"""The first 100 seconds: do the programs start with CUDA, and does every model train? Decides whether to go on."""
import os
import subprocess

from .session import Session

# As small as each model gets with all its parts, and the same for its sizes where a GPU is there.
TINY = {'mlp': ['--model.depth=3'],
        'wide_resnet': ['--model.widen=1'],
        'dcgan': ['--model.width=8', '--model.latent=16'],
        'deit_tiny': ['--model.layers=1', '--model.hidden=24', '--model.size=32', '--model.labels=10'],
        'distilbert': ['--model.layers=1', '--model.hidden=32', '--model.heads=4', '--model.intermediate=40', '--model.vocabulary=60',
                       '--model.positions=16', '--model.length=16', '--dataset.shortest=0.5']}


def model_words(session: Session, name):
    return [f'--model={name}', '--dataset=synthetic', *(TINY[name] if session.quick else [])]


def machine(session):
    session.needs_gpu()
    for command in ('nvidia-smi -q -d COMPUTE,PERSISTENCE_MODE | tail -20', 'ldconfig -p | grep -E "libcuda\\.so|nvrtc"', 'env | grep ^LD_'):
        session.say(f'$ {command}\n' + subprocess.run(command, shell=True, text=True, capture_output=True).stdout.rstrip())
    # Read once, so that the starts that follow find them in memory. Ends by itself.
    libraries = ' '.join(f'{folder}/*.so*' for folder in session.programs.libraries)
    subprocess.Popen(f'cat {libraries} >/dev/null 2>&1', shell=True, start_new_session=True)
    return 'see the log'


def start(session):
    command = [*session.programs.ours('epochcast-train'), '--version']
    version = session.run(command, limit_s=90).stdout.strip()
    if 'without CUDA' in version or 'CUDA' not in version:
        loader = session.run(command, {'LD_DEBUG': 'libs'}, status=None).stderr
        session.say('\n'.join(loader.splitlines()[-40:]))
        raise AssertionError(version)
    return version


def train(session, name, precision):
    """Eight steps, the last two of them profiled: CUPTI too."""
    point = f'smoke-{name}-{precision}'
    session.train(point, *model_words(session, name), '--dataset.samples=32', '--batch=4', '--epochs=1', '--profile=2', f'--precision={precision}')
    peak = session.metrics(point, 'peak_gpu_memory_bytes')[-1]
    device_s = sum(row['self_device_s'] for row in session.lines(point, 'operators'))
    assert peak > 0, 'no memory of the device was used'
    assert session.simulated or device_s > 0, 'the profile has no time of the GPU'
    return f'peak {peak / 2**20:.0f} MiB, {1000 * device_s:.2f} ms of kernels in 2 steps'


def replays(session):
    """Of a CUDA graph: the steps above had a profile, and so none."""
    try:
        session.train('smoke-graphs', *model_words(session, 'mlp'), '--dataset.samples=32', '--batch=4', '--epochs=1')
        note = session.lines('smoke-graphs', 'header')[-1]['note']
        assert 'steps were replays' in note, note or 'no note'
    except (AssertionError, OSError):
        session.without_graphs = ['cuda_graphs=false']  # in all that follows
        raise
    return note


def infer(session):
    session.train('smoke-infer', *model_words(session, 'distilbert'), '--task=infer', '--dataset.samples=8', '--batch=4')
    return 'the answers are there'


def smoke(session):
    """Whether to go on: the programs start, and at least one model trains in fp32."""
    session.make([('machine', machine), ('programs start', start)])
    if 'FAILED' in session.rows[-1][1]:
        return False
    first = len(session.rows)
    session.make([(f'trains {name} {precision}', train, name, precision) for precision in ('fp32', 'bf16') for name in TINY
                  if (name, precision) != ('dcgan', 'bf16')]  # the GAN has no autocast
                 + [('infers distilbert', infer)], at_once=3)
    session.make([('replays a CUDA graph', replays)])
    return any(result == 'passed' for _, result, _ in session.rows[first:first + len(TINY)])
