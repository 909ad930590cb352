# Sourced by env/lab, env/test and env/deps.
# shellcheck shell=bash

# WHO LOG COMMAND...: runs COMMAND with its output in LOG. Every 15 s prints a line that names the time so far and, while
# Ninja builds, how many of its steps are done. Returns COMMAND's status.
with_progress() {
    local who=$1 log=$2 began=$SECONDS pid step status=0
    shift 2
    "$@" >"$log" 2>&1 &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
        # wakes as soon as COMMAND ends
        timeout 15 tail --pid=$pid -s 0.2 -f /dev/null || true
        kill -0 $pid 2>/dev/null || break
        step=$(tail -c 2000 "$log" 2>/dev/null | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1 || true)
        echo "$who: $((SECONDS - began)) s${step:+, step ${step:1:-1}}" >&2
    done
    wait $pid || status=$?
    return $status
}
