#!/usr/bin/env python3
"""One campaign on two machines that share its folder by NFS 4.2, while its jobs are killed: each point runs once, and
nothing is lost.

usage: tests/nfs/campaign.py BUILD [SEED]

The machines are emulated (qemu) with Debian's kernel and this machine's files; nfs-ganesha exports the folder. Needs root
and a network for the kernel (70 MB). Exit status 77: the Debian packages that it names are not installed. Slurm is not
there: a job is its script with SLURM_JOB_ID, and starts again after a kill under the same id, as a requeued job does.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = {'qemu-system-x86_64': 'qemu-system-x86', 'ganesha.nfsd': 'nfs-ganesha nfs-ganesha-vfs', 'rpcbind': 'rpcbind',
            'busybox': 'busybox-static'}
MODULES = ['virtio_pci', 'virtio_net', '9p', '9pnet_virtio', 'nfsv4', 'virtio_rng']
POINTS, NOTES, LIMIT_S = 12, 150, 1500

EXPERIMENT = f"""name: nfs
command: [bash, /mnt/train.sh, "{{lr}}"]
epochs: 3
sweep: {{lr: {list(range(1, POINTS + 1))}}}
"""
CLUSTER = """scheduler: slurm
defaults: {time: 10m, memory: 1G}
allocations: {cpu1: {cpus: 1}}
"""
TRAIN = """for e in 1 2 3; do
  sleep 0.5
  echo "Epoch $e/3 - loss 0.$e - 0.5s"
  echo "$1 $e $SLURM_JOB_ID" >>/mnt/truth.$(uname -n)
done
"""
GANESHA = """NFS_CORE_PARAM {{ Protocols = 4; NFS_Port = 20490; Bind_addr = 127.0.0.1; Enable_RQUOTA = false; Enable_NLM = false; Enable_UDP = false; }}
NFSV4 {{ Grace_Period = 5; Lease_Lifetime = 10; RecoveryBackend = fs; }}
NFS_KRB5 {{ Active_krb5 = false; }}
EXPORT {{ Export_Id = 1; Path = {}; Pseudo = /shared; Access_Type = RW; Squash = No_Root_Squash; SecType = sys; FSAL {{ Name = VFS; }} }}
"""
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc p /proc; mount -t sysfs s /sys; mount -t devtmpfs d /dev
for module in $(cat /modules/order); do insmod /modules/$module; done
for word in $(cat /proc/cmdline); do case $word in machine=*) hostname ${word#machine=}; esac; done
ip link set lo up; ip link set eth0 up; ip addr add 10.0.2.15/24 dev eth0; ip route add default via 10.0.2.2
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,ro,cache=loose host /host
mount -t proc p /host/proc; mount -t sysfs s /host/sys; mount --bind /dev /host/dev
mkdir -p /dev/shm; mount -t tmpfs t /host/dev/shm; mount -t tmpfs t /host/tmp
until mount -t nfs4 -o vers=4.2,addr=10.0.2.2,port=20490,clientaddr=10.0.2.15,hard,sec=sys 10.0.2.2:/shared /host/mnt; do sleep 1; done
env -i PATH=/mnt/bin:/usr/bin:/bin LANG=C.UTF-8 chroot /host /bin/bash /mnt/machine.sh >/host/mnt/$(hostname).log 2>&1
umount /host/mnt; poweroff -f
"""


def needed(programs):
    missing = [package for program, package in programs.items() if not shutil.which(program)]
    if shutil.which('busybox') and b'ld-linux' in Path(shutil.which('busybox')).read_bytes():  # the first file system has no libraries
        missing.append('busybox-static')
    if missing or os.geteuid() != 0:
        print('skipped: needs root and', *(missing or PACKAGES.values()))
        sys.exit(77)


def boot_files(work):
    """Debian's kernel, and a first file system with the modules for NFS and for this machine's files."""
    answer = subprocess.run(['apt-cache', 'depends', 'linux-image-amd64'], check=True, text=True, capture_output=True).stdout
    package = next(word for word in answer.split() if word.startswith('linux-image-6'))
    subprocess.run(['apt-get', 'download', '-qq', package], check=True, cwd=work, stderr=subprocess.DEVNULL)
    subprocess.run(['dpkg-deb', '-x', next(work.glob('*.deb')), 'image'], check=True, cwd=work)
    modules = next((work / 'image/lib/modules').iterdir())
    subprocess.run(['busybox', 'depmod', '-b', work / 'image', modules.name], check=True)
    needs = dict(line.split(':') for line in (modules / 'modules.dep').read_text().splitlines())
    by_name = {Path(path).stem: path for path in needs}
    order = []

    def add(path):
        for other in reversed(needs[path].split()):
            add(other)
        if path not in order:
            order.append(path)

    for name in MODULES:
        add(by_name[name] if name in by_name else by_name[name.replace('_', '-')])
    root = work / 'root'
    for folder in ('bin', 'modules', 'host', 'proc', 'sys', 'dev'):
        (root / folder).mkdir(parents=True)
    shutil.copy(shutil.which('busybox'), root / 'bin')
    for path in order:
        shutil.copy(modules / path, root / 'modules')
    (root / 'modules/order').write_text('\n'.join(Path(path).name for path in order))
    (root / 'init').write_text(INIT)
    (root / 'init').chmod(0o755)
    subprocess.run('find . | busybox cpio -o -H newc 2>/dev/null | gzip -1 >../initrd', shell=True, check=True, cwd=root)
    return next((work / 'image/boot').glob('vmlinuz*')), work / 'initrd'


def machine(name, kernel, initrd, log):
    return subprocess.Popen(
        ['qemu-system-x86_64', '-accel', 'tcg', '-cpu', 'max', '-m', '1500', '-nographic', '-no-reboot', '-kernel', kernel,
         '-initrd', initrd, '-append', f'console=ttyS0 loglevel=4 panic=-1 machine={name}', '-nic', 'user,model=virtio-net-pci',
         '-virtfs', 'local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap'],
        stdin=subprocess.DEVNULL, stdout=log.open('w'), stderr=subprocess.STDOUT)


def check(shared, build):
    """Everything that is wrong."""
    epochs, wrong = defaultdict(list), []
    for file in shared.glob('truth.*'):
        for line in file.read_text().splitlines():
            point, epoch, job = line.split()
            epochs[point].append((epoch, job))
    for point in map(str, range(1, POINTS + 1)):
        jobs = {job for _, job in epochs[point]}
        if len(jobs) != 1:
            wrong.append(f'point {point}: run by the jobs {sorted(jobs)}')
        if sum(epoch == '3' for epoch, _ in epochs[point]) != 1:
            wrong.append(f'point {point}: its program ended {sum(epoch == "3" for epoch, _ in epochs[point])} times')
    verdicts = subprocess.run([build / 'bin/epochcast-analyze', 'verify', shared / 'out/records'], text=True, capture_output=True).stdout
    if verdicts.count(', complete, 3 epochs') != POINTS:
        wrong.append(f'{verdicts.count(", complete, 3 epochs")} complete records')
    names = [json.loads(line)['point'] for line in (shared / 'out/submissions.jsonl').read_text().splitlines() if line]
    if sorted(names) != sorted(f'{machine}-{note}' for machine in ('n1', 'n2') for note in range(1, NOTES + 1)):
        wrong.append(f'the journal has {len(names)} of {2 * NOTES} lines')
    return wrong, verdicts


def main():
    build = Path(sys.argv[1]).resolve()
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10000)
    needed(PACKAGES)
    work = Path(tempfile.mkdtemp(prefix='nfs-', dir=build))
    shared = work / 'shared'
    (shared / 'bin').mkdir(parents=True)
    for name, text in (('experiment.yaml', EXPERIMENT), ('cluster.yaml', CLUSTER), ('train.sh', TRAIN),
                       ('bin/srun', '#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"\n')):
        (shared / name).write_text(text)
    (shared / 'bin/srun').chmod(0o755)
    (shared / 'machine.sh').write_text(f'programs={build}/bin seed={seed} notes={NOTES}\n' + (HERE / 'machine.sh').read_text())
    (work / 'ganesha.conf').write_text(GANESHA.format(shared))
    kernel, initrd = boot_files(work)
    if subprocess.run(['pgrep', '-x', 'rpcbind'], stdout=subprocess.DEVNULL).returncode != 0:
        subprocess.run(['rpcbind'], check=True)
    Path('/var/run/ganesha').mkdir(exist_ok=True)
    server = subprocess.Popen(['ganesha.nfsd', '-F', '-f', work / 'ganesha.conf', '-L', work / 'ganesha.log', '-p', work / 'ganesha.pid'])
    try:
        machines = [machine(name, kernel, initrd, work / f'{name}.console') for name in ('n1', 'n2')]
        end_s = time.monotonic() + LIMIT_S
        for one in machines:
            one.wait(timeout=max(1, end_s - time.monotonic()))
        wrong, verdicts = check(shared, build)
    finally:
        for one in [*machines, server]:
            one.kill()
            one.wait()
    logs = ''.join((shared / f'{name}.log').read_text() for name in ('n1', 'n2'))
    print(f'seed {seed}: {POINTS} points; ' + ', '.join(f'{logs.count(word)} {word}' for word in ('killed', 'claimed by the other')))
    for text in wrong:
        print('wrong:', text)
    if wrong:
        print(logs, verdicts, sep='\n')
        sys.exit(1)
    shutil.rmtree(work)


main()
