# The lab's files under $LAB: what the machine's own /etc holds on a real cluster, and Slurm's configuration.

LAB_USERS=(alice bob carol) # seen inside the lab only
FIRST_UID=61001

write_config() {
    local fresh
    [[ -z $(ls -A "$LAB" 2>/dev/null) || -e $LAB/etc/slurm.conf ]] || die "$LAB is not empty and not of slurm-lab: left alone"
    rm -rf --one-file-system "${LAB:?}"
    for fresh in etc run log ctld spool home dev munge sql; do mkdir -p "$LAB/$fresh" || die "cannot make $LAB/$fresh"; done
    write_machine_files
    write_gpu_files
    { slurm_conf; if ((DBD)); then slurm_conf_accounting; fi; slurm_conf_nodes; } >"$LAB/etc/slurm.conf"
    write_gres_conf
    ((!CGROUP)) || cgroup_conf >"$LAB/etc/cgroup.conf"
    : >"$LAB/etc/plugstack.conf"
    (umask 077; head -c 128 /dev/urandom >"$LAB/etc/munge.key"; slurmdbd_conf >"$LAB/etc/slurmdbd.conf")
    my_cnf >"$LAB/etc/my.cnf"
    chown munge "$LAB/etc/munge.key" "$LAB/munge"
    chown slurm "$LAB/etc/slurmdbd.conf" "$LAB/ctld" "$LAB/log"
    ! id mysql >/dev/null 2>&1 || chown mysql "$LAB/sql"
}

write_machine_files() {
    local etc=$LAB/etc i user
    { echo "127.0.0.1 localhost login"; for i in "${!NODES[@]}"; do echo "127.0.1.$((i + 1)) ${NODES[i]}"; done; } >"$etc/hosts"
    cp /etc/passwd /etc/group "$etc/"
    # `su - USER` is what sbatch --export=NONE uses, and it wants an entry in shadow; no password is copied.
    (umask 077; awk -F: '{print $1 ":*:19000:0:99999:7:::"}' /etc/passwd >"$etc/shadow")
    for i in "${!LAB_USERS[@]}"; do
        user=${LAB_USERS[i]}
        sed -i "/^$user:/d" "$etc/passwd" "$etc/group" "$etc/shadow"
        echo "$user:x:$((FIRST_UID + i)):$((FIRST_UID + i))::$LAB/home/$user:/bin/bash" >>"$etc/passwd"
        echo "$user:x:$((FIRST_UID + i)):" >>"$etc/group"
        echo "$user:*:19000:0:99999:7:::" >>"$etc/shadow"
        install -d -o $((FIRST_UID + i)) -g $((FIRST_UID + i)) "$LAB/home/$user"
    done
}

write_gpu_files() { # what gres.conf points at; copies of /dev/null, or plain files where devices cannot be made
    local i
    for i in {0..7}; do mknod -m 666 "$LAB/dev/nvidia$i" c 1 3 2>/dev/null || : >"$LAB/dev/nvidia$i"; done
}

slurm_conf() {
    cat <<EOF
ClusterName=teachlab
SlurmctldHost=login(127.0.0.1)
SlurmctldPort=$((PORT + 1))
SlurmUser=slurm
AuthType=auth/munge
# a requeued job waits for cred_expire + 1 s; by default two minutes
AuthInfo=socket=$LAB/munge/munge.socket,cred_expire=10
CredType=cred/munge
StateSaveLocation=$LAB/ctld
SlurmdSpoolDir=$LAB/spool/%n
SlurmctldPidFile=$LAB/ctld/slurmctld.pid
SlurmdPidFile=$LAB/spool/%n/slurmd.pid
SlurmctldLogFile=$LAB/log/slurmctld.log
SlurmdLogFile=$LAB/log/slurmd-%n.log
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/linuxproc
# more CPUs, memory and GPUs than the machine has; so no binding, which would fail
SlurmdParameters=config_overrides
TaskPlugin=$( ((CGROUP)) && echo task/cgroup || echo task/none)
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=2
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
EnforcePartLimits=$ENFORCE
MaxArraySize=1001
MaxJobCount=5000
JobRequeue=1
# quick reactions
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=5,sched_min_interval=0,bf_interval=5,batch_sched_delay=0
SlurmdTimeout=15
SlurmctldTimeout=15
MinJobAge=600
MessageTimeout=10
PriorityType=priority/multifactor
PriorityWeightQOS=10000
PriorityCalcPeriod=1
EOF
}

slurm_conf_accounting() {
    cat <<EOF
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$((PORT + 2))
# slurmdbd needs the socket here too: AuthInfo is not enough
AccountingStoragePass=$LAB/munge/munge.socket
AccountingStorageEnforce=associations,limits,qos
AccountingStorageTRES=gres/gpu,gres/gpu:t4,gres/gpu:v100
PreemptType=preempt/qos
PreemptMode=REQUEUE
EOF
}

slurm_conf_nodes() {
    cat <<EOF
NodeName=t4-[01-03] NodeAddr=127.0.1.[1-3] Port=$((PORT + 11))-$((PORT + 13)) Sockets=2 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=192000 Gres=gpu:t4:4 Feature=t4,turing
NodeName=dgx-[01-02] NodeAddr=127.0.1.[4-5] Port=$((PORT + 14))-$((PORT + 15)) Sockets=2 CoresPerSocket=40 ThreadsPerCore=1 RealMemory=512000 Gres=gpu:v100:8 Feature=v100,volta,dgx
PartitionName=teaching Nodes=t4-[01-03] Default=YES MaxTime=1-00:00:00 DefaultTime=01:00:00 DefMemPerCPU=4000
PartitionName=quick Nodes=t4-[01-03] MaxTime=00:02:00 DefaultTime=00:01:00 MaxNodes=1 DefMemPerCPU=1000 PriorityTier=2
PartitionName=dgx Nodes=dgx-[01-02] MaxTime=2-00:00:00 DefaultTime=01:00:00 DefMemPerCPU=6000
EOF
    ((!DBD)) || echo "PartitionName=staff Nodes=dgx-[01-02] AllowAccounts=research,root MaxTime=7-00:00:00"
}

write_gres_conf() {
    cat >"$LAB/etc/gres.conf" <<EOF
NodeName=t4-[01-03] Name=gpu Type=t4 File=$LAB/dev/nvidia[0-3]
NodeName=dgx-[01-02] Name=gpu Type=v100 File=$LAB/dev/nvidia[0-7]
EOF
}

cgroup_conf() {
    cat <<EOF
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
CgroupAutomount=no
ConstrainRAMSpace=yes
MinRAMSpace=1
EOF
}

slurmdbd_conf() {
    cat <<EOF
AuthType=auth/munge
AuthInfo=socket=$LAB/munge/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$((PORT + 2))
SlurmUser=slurm
LogFile=$LAB/log/slurmdbd.log
PidFile=$LAB/ctld/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct_db
EOF
}

my_cnf() { # a small database that need not survive the machine
    cat <<EOF
[mariadbd]
datadir=$LAB/mysql
socket=$LAB/sql/mysql.sock
# its files are named by process number, which two labs may share
tmpdir=$LAB/sql
user=mysql
skip-networking
skip-log-bin
performance-schema=OFF
innodb_buffer_pool_size=64M
innodb_log_file_size=16M
innodb_lock_wait_timeout=900
innodb_flush_log_at_trx_commit=0
innodb_doublewrite=0
aria_pagecache_buffer_size=8M
[client]
socket=$LAB/sql/mysql.sock
EOF
}
