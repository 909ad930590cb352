#!/bin/bash
# What the scripts of epochcast-jobs call. generate writes this file beside them, under a name that says its content: a job
# that waits finds the functions that it was submitted with, also after an update. "$out" is the folder, "$point" the point.
# shellcheck disable=SC2034,SC2154 # the scripts set some of the variables and read others

epochcast_claim() { # the first job to claim a point runs it; a requeued job keeps its id, and so its claim
  local owner whole
  job=${SLURM_JOB_ID:-${EPOCHCAST_JOB_ID:?not a job: submit this with sbatch, or use epochcast-jobs run}}
  claim=$out/claims/$point
  whole=$claim.$job.claiming # gets the name of the claim when it is on disk: a full disk leaves no claim, and no half one
  if { printf '%s\n' "$job" >"$whole" && sync "$whole"; } 2>/dev/null && ln "$whole" "$claim" 2>/dev/null; then
    rm -f "$whole"
    return
  fi
  rm -f "$whole"
  owner=$(cat "$claim" 2>/dev/null)
  if [ -z "$owner" ]; then
    echo "epochcast: cannot claim $point: $claim cannot be written; is the disk full? 'epochcast-jobs status' lists what has not run" >&2
    exit 1
  elif [ "$owner" != "$job" ]; then
    echo "epochcast: $point is claimed by job $owner; nothing to do" >&2
    exit 0
  fi
}

epochcast_limit_attempts() { # MOST: of a job that Slurm starts again
  local attempts=0 record
  [ -n "${SLURM_RESTART_COUNT:-}" ] || return 0
  for record in "$out/records/$point"-*.jsonl; do # also those of a point whose name goes on with a number
    [[ ! ${record#"$out/records/$point"} =~ ^-[0-9]+(-r[0-9]+)?\.jsonl$ ]] || attempts=$((attempts + 1))
  done
  if [ "$attempts" -ge "$1" ]; then
    echo "epochcast: $point had $attempts attempts; no further one" >&2
    exit 1
  fi
}

epochcast_may_resume() { # resubmit makes the .resume file if the checkpoint is to be used
  resume=false
  if [ -n "${SLURM_RESTART_COUNT:-}" ] || [ -e "$claim.resume" ]; then
    resume=true
  fi
}

epochcast_own_threads() { # those of Epochcast's programs do not depend on the environment of the user who submits
  # OMP_PROC_BIND would pin the decoder threads to the main thread's CPU.
  unset OMP_PROC_BIND OMP_PLACES OMP_DYNAMIC OMP_WAIT_POLICY GOMP_CPU_AFFINITY KMP_AFFINITY KMP_BLOCKTIME MKL_DYNAMIC
  unset NVIDIA_TF32_OVERRIDE TORCH_ALLOW_TF32_CUBLAS_OVERRIDE CUDA_LAUNCH_BLOCKING PYTORCH_CUDA_ALLOC_CONF
  unset PYTORCH_ALLOC_CONF CUBLAS_WORKSPACE_CONFIG "${!TORCH_CUDNN_@}" "${!TORCH_NCCL_@}"
  export OMP_NUM_THREADS="${SLURM_CPUS_PER_TASK:?}" MKL_NUM_THREADS="$SLURM_CPUS_PER_TASK"
  export OPENBLAS_NUM_THREADS="$SLURM_CPUS_PER_TASK"
}

epochcast_default_threads() { # what the user sets, in the profile's setup too, counts
  export OMP_NUM_THREADS="${OMP_NUM_THREADS:-${SLURM_CPUS_PER_TASK:?}}"
}

epochcast_find_modules() { # inits: what may bring the command module, where it is not there yet; the script reads the first
  local init
  inits=()
  if ! command -v module >/dev/null; then
    for init in "${LMOD_PKG:-/usr/share/lmod/lmod}/init/bash" "${MODULESHOME:-/usr/share/modules}/init/bash" /etc/profile.d/modules.sh; do
      [ ! -r "$init" ] || inits+=("$init")
    done
  fi
}

epochcast_asked_memory() { # submit writes this file where it asked for other memory than #SBATCH does
  [ ! -s "$claim.memory" ] || EPOCHCAST_ASKED+=";memory=$(cat "$claim.memory")"
}

epochcast_job_info() { # an image may lack scontrol, so the record gets its answer from here
  EPOCHCAST_JOB_INFO=
  if [ -n "${SLURM_JOB_ID:-}" ]; then
    EPOCHCAST_JOB_INFO=$(SLURM_TIME_FORMAT=%Y-%m-%dT%H:%M:%S%z scontrol show job -d "$SLURM_JOB_ID" 2>/dev/null)
  fi
  export EPOCHCAST_JOB_INFO
}

epochcast_begin() {
  echo "epochcast: $point, job $job on $(uname -n), $(date +%FT%T%z)"
  pid=
  # srun forwards USR1 to the trainer but turns TERM into KILL, so both become USR1: save and stop.
  trap '[ -z "$pid" ] || kill -USR1 "$pid"' USR1 TERM
}

epochcast_srun() { # OPTION...: in a job of Slurm, srun starts the tasks
  if [ -n "${SLURM_JOB_ID:-}" ]; then
    launch=(srun --cpus-per-task="$SLURM_CPUS_PER_TASK" --cpu-bind=verbose "$@")
  fi
}

epochcast_two_steps() { # NODE NONE OPTION...: beside starts the first of two tasks, launch the second, on node NODE;
  # that of them which NONE names gets no GPU. Without Slurm both are empty, and the programs share the CPUs of the job.
  local node=$1 none=$2
  shift 2
  beside=() launch=()
  if [ -n "${SLURM_JOB_ID:-}" ]; then
    # --exact: only the CPUs of one task. --mem=0: the steps share the memory of the job, which the first would else take.
    set -- srun --ntasks=1 --nodes=1 --exact --cpus-per-task="$SLURM_CPUS_PER_TASK" --mem=0 --kill-on-bad-exit=1 "$@"
    beside=("$@" --relative=0) launch=("$@" --relative="$node")
    [ "$none" != beside ] || beside+=(--gres=none)
    [ "$none" != launch ] || launch+=(--gres=none)
  fi
}

epochcast_pass_on() { # VARIABLE of the user's environment
  if [ -z "${!1+set}" ]; then
    echo "epochcast: environment: $1 is not set; set it where you submit or run" >&2
    exit 1
  fi
  export "${1?}"
}

epochcast_go_on() { # FILE... -- WORD...: the program goes on with the words again, from its files if all are there
  local files=() file missing IFS=' '
  while [ "$1" != -- ]; do
    files+=("$1")
    shift
  done
  shift
  again=() from=
  [ "$resume" = true ] || return 0
  for file in ${files[@]+"${files[@]}"}; do
    if [ ! -e "$file" ]; then
      printf -v missing ', or no %s' "${files[@]}"
      echo "epochcast: $point starts over: there is no ${missing#, or no }"
      return 0
    fi
  done
  again=("$@") from=${files[0]-$*}
  echo "epochcast: $point goes on from $from"
}

epochcast_wait() { # for "$pid"; rc is its exit status
  local last
  # A trap interrupts wait, so wait again while the program runs.
  while :; do
    wait "$pid"
    rc=$?
    kill -0 "$pid" 2>/dev/null || break
  done
  wait "$pid" 2>/dev/null
  last=$?
  [ "$last" -eq 127 ] || rc=$last
}

epochcast_prepare_service() {
  work=$out/work/$point
  mkdir -p "$work"
  rm -f "$work/address"
  # Other users of the node can reach the service, so it answers only those who know a token.
  (umask 077 && head -c 24 /dev/urandom | base64 >"$work/token") || exit 1
}

epochcast_await_service() { # patience: further arguments of the load
  while [ ! -s "$work/address" ] && kill -0 "$service" 2>/dev/null; do
    sleep 0.2
  done
  patience=() # with no service, the load soon records that it has not begun
  [ -s "$work/address" ] || patience=(--start-limit=1s)
}

epochcast_stop_service() { # it answers what it has accepted, then ends
  local served
  kill -USR1 "$service" 2>/dev/null
  wait "$service"
  served=$?
  if [ "$rc" -eq 0 ] && [ "$served" -ne 0 ]; then
    echo "epochcast: $point: the service ended with status $served" >&2
    rc=1
  fi
}

epochcast_watch_producer() { # stops the consumer if the producer fails: it would wait for the rest
  local produced
  # A trap interrupts wait.
  while kill -0 "$producer" 2>/dev/null && kill -0 "$pid" 2>/dev/null; do
    wait -n "$producer" "$pid"
  done
  if kill -0 "$pid" 2>/dev/null; then
    wait "$producer"
    produced=$?
    if [ "$produced" -ne 0 ] && [ "$produced" -ne 75 ]; then
      echo "epochcast: $point: the producer failed with status $produced, so the consumer stops" >&2
      kill -USR1 "$pid"
    fi
  fi
}

epochcast_stop_producer() { # a job that starts again goes on with both
  if kill -TERM "$producer" 2>/dev/null; then wait "$producer"; fi
}

epochcast_retry() { # EPOCHCAST_JOBS: does what retry: says; a job of several points does it for them
  local pause
  if [ -n "${SLURM_JOB_ID:-}" ] && [ -z "${EPOCHCAST_PACK:-}" ]; then
    for pause in 0 5 20; do # the controller may be down for a moment
      sleep "$pause"
      EPOCHCAST_ENDED="$job $rc" "$1" resubmit "$out" --retry && return
    done
    echo "epochcast: the next job that ends here, or 'epochcast-jobs resubmit --retry', does the rest" >&2
  fi
}

epochcast_notify() { # EPOCHCAST_JOBS: looks whether the experiment has ended; a job of several points does it once
  if [ -n "${SLURM_JOB_ID:-}" ] && [ -z "${EPOCHCAST_PACK:-}" ]; then
    EPOCHCAST_ENDED="$job $rc" "$1" notify "$out"
  fi
}

epochcast_then() { # COMMAND...: the measurement of a run that stopped early also counts
  if [ "$rc" -eq 0 ] || [ "$rc" -eq 75 ]; then
    "$@" || echo "epochcast: this step failed; the time limits are unchanged" >&2
    rc=0
  fi
}

epochcast_pack() { # prefix=PATH parallel=N per=WHAT lead=SECONDS gpus=N jobs=EPOCHCAST_JOBS [retries=yes] [notifies=yes]:
  # runs the points of a table, several at a time
  local retries='' notifies='' point row
  local "$@"
  local -A running=() begun_s=() told_s=() # by the process of the point's script
  local rows left=() failed=0 stopped=0 begun=0 longest=0 stop=
  local job=${SLURM_JOB_ID:?not a job: submit this with sbatch}
  # srun reads the share of a point from these variables.
  export SLURM_EXACT=1
  [ "${SLURM_MEM_PER_NODE:-0}" -eq 0 ] || export SLURM_MEM_PER_NODE=$((SLURM_MEM_PER_NODE / parallel))
  unset SLURM_NTASKS_PER_NODE SLURM_GPUS SLURM_GPUS_PER_NODE
  if [ "$per" = shared_gpu ]; then
    export SLURM_OVERLAP=1
  elif [ "$gpus" -gt 0 ]; then
    export SLURM_GPUS_PER_NODE="$gpus"
  fi

  local end=${SLURM_JOB_END_TIME:-$(squeue -h -j "$job" -o %e 2>/dev/null)}
  case $end in *T*) end=$(date -d "$end" +%s) ;; esac
  [[ $end =~ ^[0-9]+$ ]] || end=
  trap epochcast_pack_signal USR1 TERM

  mapfile -t rows <"$prefix.points" # a point, and the seconds that it may need (0: not known)
  for row in "${rows[@]}"; do
    while [ "${#running[@]}" -ge "$parallel" ]; do epochcast_pack_watch; done
    if [ -e "$prefix.cancelled/${row% *}" ]; then
      stopped=1
      echo "epochcast: ${row% *} was cancelled"
      epochcast_pack_note ended "${row% *}" ',"status":0'
    elif [ -z "$stop" ] && epochcast_pack_fits "${row##* }"; then
      epochcast_pack_begin "${row% *}"
    else
      left+=("${row% *}")
    fi
  done
  while [ "${#running[@]}" -gt 0 ]; do epochcast_pack_watch; done

  if [ "${#left[@]}" -gt 0 ]; then
    stopped=1
    for point in "${left[@]}"; do epochcast_pack_note left "$point"; done
    echo "epochcast: not begun here: ${left[*]}"
    if [ "$stop" != cancelled ]; then
      "$jobs" submit "$out" --filter="point=$(IFS=,; echo "${left[*]}")" ||
        echo "epochcast: 'epochcast-jobs submit' submits them" >&2
    fi
  fi
  wait # for what submits again
  [ -z "$notifies" ] || EPOCHCAST_ENDED="$job $failed" "$jobs" notify "$out"
  [ "$failed" -eq 0 ] || exit 1
  exit $((stopped * 75)) # 0: all done; 75: some stopped early or were not begun; 1: some failed
}

epochcast_pack_note() { # EVENT POINT [MORE]: a line of the journal, after what a crash may have cut off
  local tries=0
  {
    # On NFS, two nodes that append at the same time overwrite each other, and one that waits for a lock asks once in some
    # seconds only; 'flock -w' may never get it.
    until flock -n 9 || [ "$((tries += 1))" -gt 50 ]; do sleep 0.1; done
    printf '\n{"event":"%s","point":"%s","job":"%s"%s,"at":"%s"}\n' "$1" "$2" "$job" "${3:-}" "$(date +%FT%T%:z)" >&9
  } 9>>"$out/submissions.jsonl" 2>/dev/null
}

# shellcheck disable=SC2317 # the trap calls it
epochcast_pack_signal() { # a signal near the end is that of the time limit, another one cancels the job
  stop=cancelled
  [ -z "$end" ] || [ "$(date +%s)" -lt $((end - lead - 90)) ] || stop=limit
  [ "${#running[@]}" -eq 0 ] || kill -USR1 "${!running[@]}" 2>/dev/null
}

epochcast_pack_fits() { # SECONDS: before the signal, which may come 60 s early; 0: as long as the longest so far
  local needs=$1
  [ "$needs" -gt 0 ] || needs=$longest
  [ "$begun" -lt "$parallel" ] || [ -z "$end" ] || [ $(($(date +%s) + needs)) -le $((end - lead - 60)) ]
}

epochcast_pack_begin() { # POINT
  EPOCHCAST_PACK="$parallel $(date +%FT%T) $SECONDS $per" \
    bash "$out/scripts/$1.sbatch" </dev/null >>"$out/logs/$1-$job.out" 2>&1 &
  running[$!]=$1 begun_s[$!]=$SECONDS begun=$((begun + 1))
  echo "epochcast: began $1"
}

epochcast_pack_end_alone() { # PID of a point that was cancelled; after the lead, or at once, srun turns TERM into KILL
  local how cancelled=$prefix.cancelled/${running[$1]}
  if [ ! -e "$cancelled" ] || ! read -r how <"$cancelled"; then return; fi
  if [ -z "${told_s[$1]:-}" ]; then
    echo "epochcast: ${running[$1]} is cancelled"
    told_s[$1]=$SECONDS
    kill -USR1 "$1" 2>/dev/null
  fi
  if [ "$how" = at_once ] || [ $((SECONDS - told_s[$1])) -gt "$lead" ]; then pkill -TERM -P "$1"; fi
}

epochcast_pack_watch() { # waits a second, then looks who has ended
  local pid rc why
  sleep 1 &
  wait "$!"
  for pid in "${!running[@]}"; do
    if kill -0 "$pid" 2>/dev/null; then
      epochcast_pack_end_alone "$pid"
      continue
    fi
    wait "$pid"
    rc=$? why=
    [ "$rc" -eq 0 ] || [ "$rc" -eq 75 ] || ! grep -qE 'Out Of Memory|oom[-_]kill' "$out/logs/${running[$pid]}-$job.out" || why=" out_of_memory"
    echo "epochcast: ${running[$pid]} ended with status $rc$why"
    epochcast_pack_note ended "${running[$pid]}" ",\"status\":$rc${why:+,\"out_of_memory\":true}"
    case $rc in 0) ;; 75) stopped=1 ;; *) failed=1 ;; esac
    if [ "$rc" -ne 0 ] && [ -n "$retries" ]; then "$jobs" resubmit "$out" --retry & fi
    [ $((SECONDS - begun_s[$pid])) -le "$longest" ] || longest=$((SECONDS - begun_s[$pid]))
    unset "running[$pid]" "told_s[$pid]"
  done
}
