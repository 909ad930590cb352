# The lab's namespaces, and the daemons in them. Everything the lab starts lives in one process namespace, so that
# ending its first process ends all of it, whatever a test did.

NEW_NAMESPACES=(unshare --mount --uts --net --pid --fork --kill-child=KILL --mount-proc)

# The lock is held by the lab's processes; the kernel frees it when the last of them ends.
lab_is_up() { [[ -e $LAB/run/lock ]] && ! flock -n "$LAB/run/lock" true; }

hold_namespaces() { # in the background: first_process in new namespaces, for as long as OWNER lives
    exec 9>"$LAB/run/lock"
    flock -n 9 || die "another slurm-lab starts in $LAB"
    setsid "${NEW_NAMESPACES[@]}" bash "$SELF" __inside first_process >"$LAB/log/first.out" 2>&1 </dev/null &
    local holder=$!
    echo $holder >"$LAB/run/holder"
    if [[ -n $OWNER ]]; then
        setsid bash -c 'while kill -0 "$1" && kill -0 "$2"; do sleep 1; done; kill -KILL "$2"' \
            owner "$OWNER" $holder >/dev/null 2>&1 </dev/null 9>&- &
    fi
    exec 9>&-
    wait_for "namespaces" test -e "$LAB/run/ready" || die "no namespaces: $(cat "$LAB/log/first.out")"
}

end_namespaces() {
    kill -KILL "$(<"$LAB/run/holder")" 2>/dev/null
    local i
    for ((i = 0; i < 100; i++)); do lab_is_up || return 0; sleep .05; done
    die "the lab in $LAB did not end"
}

in_lab() { # command...: there, as root, on the login node
    local holder; holder=/proc/$(<"$LAB/run/holder")
    # --root: entering a mount namespace alone would leave a chroot. nsenter's own --wdns is newer than Debian 11.
    nsenter --root="$holder/root" --mount="$holder/ns/mnt" --uts="$holder/ns/uts" --net="$holder/ns/net" \
        --pid="$holder/ns/pid_for_children" -- env --chdir=/ "$@"
}

first_process() { # process 1 of the lab: the login node
    # The second address because slurmdbd finds no address family where there is none but 127.0.0.1 (AI_ADDRCONFIG).
    ip link set lo up && ip address add 10.0.0.1/32 dev lo || exit 1
    show_folder "$SHOW" || exit 1
    become login || exit 1
    umount /sys/fs/cgroup/unified 2>/dev/null || true # Podman does not start where both versions of cgroups are
    mount -t tmpfs -o mode=1777 none /dev/shm || exit 1 # Podman's locks, which labs beside this one have too
    : >"$LAB/run/ready"
    while :; do sleep 3600 & wait $!; done # bash reaps what others leave
}

become() { # HOSTNAME: its name and files, seen from inside only
    local file
    hostname "$1"
    for file in hosts passwd group shadow; do mount --bind "$LAB/etc/$file" /etc/$file || return 1; done
}

# Makes a folder below a closed home (/root/project) reachable at its own path: an empty, open folder is mounted over
# the home, and the folder into that. Nothing else of the home is shown.
show_folder() { # FOLDER
    local folder=$1 closed=$1 hold=$LAB/run/shown
    [[ -n $folder ]] || return 0
    mkdir -p "$hold" && mount --bind "$folder" "$hold" || return 1
    while [[ $closed != / ]]; do
        closed=$(dirname "$closed")
        [[ $(stat -c %A "$closed") == *x ]] && continue
        mount -t tmpfs -o mode=755 none "$closed" || return 1
        mkdir -p "$folder" && mount --bind "$hold" "$folder" || return 1
    done
}

# The memory cgroup of who calls, and that of the lab below it, so that nothing leaves what it was started in.
own_cgroup() { echo "/sys/fs/cgroup/memory$(awk -F: '$2 == "memory" {print $3}' /proc/self/cgroup)"; }
make_cgroup() { echo "$(own_cgroup)/slurm-lab-$(basename "$LAB")" >"$LAB/run/cgroup" && mkdir -p "$(<"$LAB/run/cgroup")"; }

remove_cgroup() { # its processes have ended, but the kernel may still count them
    local path i; path=$(<"$LAB/run/cgroup")
    for ((i = 0; i < 100; i++)); do find "$path" -depth -type d -exec rmdir {} + 2>/dev/null && return 0; sleep .05; done
    die "cannot remove $path"
}

login_as() { # USER FOLDER command...
    local user=$1 folder=$2 uid home
    shift 2
    uid=$(id -u "$user") || exit 1
    home=$(getent passwd "$user" | cut -d: -f6)
    cd "$folder" 2>/dev/null && setpriv --reuid="$uid" --regid="$uid" --clear-groups test -w . || cd "$home" || exit 1
    # As pam_systemd does. Without it Podman keeps its state in /tmp, and would join the namespaces of a lab beside this one.
    install -d -o "$uid" -g "$uid" -m 700 "$LAB/run/user-$uid" || exit 1
    exec setpriv --reuid="$uid" --regid="$uid" --init-groups \
        env -u SLURM_LAB_DIR HOME="$home" USER="$user" LOGNAME="$user" XDG_RUNTIME_DIR="$LAB/run/user-$uid" "$@"
}

launch() { # NAME command...: a daemon that stays in the foreground
    local name=$1; shift
    setsid env -i PATH="$PATH" HOME=/root LANG=C.UTF-8 SLURM_CONF="$SLURM_CONF" SLURM_LAB_DIR="$LAB" \
        SLURM_LAB_CGROUP="$CGROUP" MYSQL_UNIX_PORT="$LAB/sql/mysql.sock" "$@" >"$LAB/log/$name.out" 2>&1 </dev/null &
    echo $! >"$LAB/run/$name.pid"
    disown
}

alive() { [[ -e $LAB/run/$1.pid ]] && kill -0 "$(<"$LAB/run/$1.pid")" 2>/dev/null; } # NAME

halt() { # NAME SIGNAL
    local i
    alive "$1" || return 0
    kill "-$2" "$(<"$LAB/run/$1.pid")"
    for ((i = 0; i < 400; i++)); do alive "$1" || return 0; sleep .05; done
    die "$1 did not end on SIG$2"
}

wait_for() { # WHAT command...
    local what=$1 end=$((SECONDS + WAIT_S)); shift
    while ((SECONDS < end)); do "$@" >/dev/null 2>&1 && return 0; sleep .1; done
    echo "slurm-lab: $what: not ready in ${WAIT_S}s" >&2
    return 1
}
