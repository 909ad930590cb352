# Starting and stopping the cluster's parts; all of this runs inside the lab.

start_all() {
    launch munged setpriv --reuid=munge --regid=munge --clear-groups munged -F --key-file="$LAB/etc/munge.key" \
        --socket="$LAB/munge/munge.socket" --pid-file="$LAB/munge/munged.pid" --log-file="$LAB/munge/munged.log" \
        --seed-file="$LAB/munge/munged.seed"
    wait_for munged timeout 3 munge -n --socket="$LAB/munge/munge.socket" || return 1
    if ((DBD)); then start_database && start slurmdbd && add_cluster || return 1; fi
    # Nodes after the controller: a slurmd that finds none tries again only seconds later.
    start slurmctld || return 1
    local node
    for node in "${NODES[@]}"; do launch_node "$node"; done
    if ((DBD)); then add_accounts || return 1; fi
    wait_for "nodes" nodes_ready
}

start() { # slurmctld or slurmdbd
    alive "$1" && return 0
    case $1 in
        slurmdbd) launch slurmdbd slurmdbd -D && wait_for slurmdbd timeout 3 sacctmgr -n show cluster ;;
        slurmctld) launch slurmctld slurmctld -D && wait_for slurmctld controller_answers ;;
        *) die "no daemon '$1'" ;;
    esac
}
stop() { halt "$1" TERM; }

# A probe of a daemon that only just listens may hang: each has a time limit of its own.
controller_answers() { timeout 3 scontrol ping | grep 'is UP' >/dev/null; }
nodes_ready() {
    (($(timeout 3 sinfo -h -N -o '%N %T' | sort -u | grep -cE ' (idle|mixed|allocated)$') == ${#NODES[@]}))
}

launch_node() { # NODE: a slurmd with host name and processes of its own
    mkdir -p "$LAB/spool/$1"
    launch "$1" unshare --mount --uts --pid --fork --kill-child=KILL --mount-proc bash "$SELF" __inside node_main "$1"
}
node_main() { # NODE, as process 1 of the node: it reaps orphans
    become "$1" || exit 1
    if ((CGROUP)); then
        local memory; memory=$(<"$LAB/run/cgroup")/$1
        mkdir -p "$memory" && echo 0 >"$memory/cgroup.procs" && mount --bind "$memory" /sys/fs/cgroup/memory || exit 1
    fi
    unset SLURM_LAB_DIR
    slurmd -D -N "$1" &
    wait $!
}

kill_node() { halt "$1" KILL; } # NODE
start_node() { # NODE
    alive "$1" && return 0
    end_lost_jobs "$1"
    launch_node "$1"
    wait_for "nodes" nodes_ready
}
end_lost_jobs() { # NODE that lost power and is back before its absence was seen: the controller misses its jobs only after 100 s
    [[ -z $(timeout 10 squeue -h -w "$1" -t RUNNING,SUSPENDED,COMPLETING -o %i) ]] ||
        { scontrol update nodename="$1" state=down reason="power lost" && scontrol update nodename="$1" state=resume; }
}

status() {
    local name
    for name in munged slurmdbd slurmctld "${NODES[@]}"; do
        if alive "$name"; then echo "$name runs"; else echo "$name does not run"; fi
    done
    timeout 10 sinfo -N -o '%10N %10P %12T %4c %8m %14G %E'
}
