#!/bin/bash
# The archive, or the wheel, on a system that has nothing of ours: unpacked into a folder with a blank in its name (the wheel: into
# a virtual environment), made read-only, used by an ordinary user: generate, check, run of a small campaign, table. Prints the
# seconds of each step.
# Usage: archive_test.sh ARCHIVE|WHEEL [TORCH [ROOT]]
#   TORCH  a folder with LibTorch; without it only what needs none is run
#   ROOT   a Debian unpacked from debootstrap's tar (as root; TORCH is mounted there); default: this system
set -euo pipefail
archive=$(realpath "$1")
torch=${2:+$(realpath "$2")}
root=${3:+$(realpath "$3")}

user_steps() { # runs as the user, in the system to test; ARCHIVE and TORCH are the arguments
    set -euo pipefail
    local start=$SECONDS
    folder=$(mktemp -d) # not local: the trap outlives the function
    trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
    cd "$folder"
    local bin
    if [[ $1 == *.whl ]]; then
        python3 -m venv 'un packed'
        'un packed/bin/pip' install -q --no-index --disable-pip-version-check "$1"
        bin="$folder/un packed/bin"
        "$bin/python" -c 'import epochcast; print(list(epochcast.epochs(2)))'
        [[ -f ${bin%/bin}/share/man/man1/epochcast-run.1 && -f ${bin%/bin}/share/bash-completion/completions/epochcast-run ]]
        ln -s "$bin/epochcast-run" linked  # as uv and pipx do
        ./linked --version
    else
        mkdir 'un packed'
        tar -C 'un packed' -xf "$1"
        bin=$(echo "$folder/un packed"/epochcast-*/bin)
        [[ -f ${bin%/bin}/share/epochcast/python/pyproject.toml ]]
    fi
    chmod -R a-w 'un packed'
    echo "unpacked: $((SECONDS - start)) s"
    cat >experiment.yaml <<'YAML'
name: archive
model: mlp
dataset: {name: disc, samples: 200}
batch: 100
sweep: {epochs: [1, 2]}
allocations: [cpu1]
YAML
    "$bin/epochcast-jobs" --version
    "$bin/epochcast-jobs" generate experiment.yaml --cluster local -o out
    "$bin/epochcast-analyze" import published lab -o published
    "$bin/epochcast-analyze" table lab published | grep v100 >/dev/null
    [[ -f ${bin%/bin}/include/epochcast/events.hpp ]]
    # Without LibTorch the trainer says what it needs, in one line.
    ! PATH=/nowhere "$bin/epochcast-train" --version 2>message || { echo "found a LibTorch nobody named"; exit 1; }
    grep -q 'this archive needs LibTorch .*pip install --target' message
    [[ $(wc -l <message) == 1 ]]
    if [[ -n ${2:-} ]]; then
        export EPOCHCAST_TORCH=$2
        "$bin/epochcast-train" --version
        "$bin/epochcast-jobs" check out
        "$bin/epochcast-jobs" run out
        "$bin/epochcast-analyze" table lab out/records | tee table
        grep -q 'predicted' table
    fi
    echo "all: $((SECONDS - start)) s"
}

if [[ -z $root ]]; then
    user_steps "$archive" "$torch"
    exit
fi
# In ROOT as the user 12345, who has no name there; mounts live and end in a namespace of their own.
cp "$archive" "$root/tmp/"
declare -f user_steps >"$root/tmp/steps.sh"
echo 'user_steps "$@"' >>"$root/tmp/steps.sh"
mkdir -p "$root/opt/libtorch"
# shellcheck disable=SC2016  # the inner shell expands them
unshare --mount --pid --fork --kill-child=KILL bash -c '
    set -e
    mount --make-rprivate /
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    [[ -z $2 ]] || mount --bind "$2" "$1/opt/libtorch"
    exec chroot --userspec 12345:12345 "$1" /usr/bin/env -i HOME=/tmp USER=nobody PATH=/usr/bin:/bin LANG=C.UTF-8 \
        bash /tmp/steps.sh "/tmp/$3" ${2:+/opt/libtorch}' bash "$root" "$torch" "${archive##*/}"
