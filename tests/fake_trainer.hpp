// A trainer that only claims to take time, for tests of what is done with its records.
#pragma once

namespace epochcast::test {

/// A trainer's outside: it writes the lines of a record, obeys signals and takes its orders from
/// FAKE_*. With FAKE_STEP_S it claims steps of that length, ten an epoch, one second after its
/// start; those of the first epoch take FAKE_FIRST times as long. A run of FAKE_STOP epochs stops
/// by itself as it would at its time limit. With FAKE_DISTURBED, the name of a file, it was
/// disturbed if that file is there, and removes it if it is empty.
inline const char* fake_trainer = R"sh(#!/bin/bash
for word in "$@"; do
  case $word in --*=*) name=${word#--} name=${name%%=*}; printf -v "${name//[.-]/_}" %s "${word#*=}" ;; esac
done
[ -n "$records" ] || exit 0  # asked for something else than a run
job=${EPOCHCAST_JOB_ID:-$SLURM_JOB_ID}
header() {
  printf '{"table":"header","schema_version":1,"created_at":"%s","finished_at":"%s","outcome":"%s","outcome_text":"%s","point":"%s","experiment":"%s","allocation":"%s","job_id":"%s","restart":%s,"tainted":"%s"}\n' \
    "$began" "$3" "$1" "$2" "$point" "$experiment" "$allocation" "$job" "${SLURM_RESTART_COUNT:-0}" "${FAKE_TAINT:-}" \
    >>"$records/$point-$job${SLURM_RESTART_COUNT:+-r$SLURM_RESTART_COUNT}.jsonl"
}
began=$(date +%FT%T%:z)
[ -z "${FAKE_STUBBORN:-}" ] || trap '' USR1 TERM
[ -n "${FAKE_STUBBORN:-}" ] || trap 'header stopped "as told" "$(date +%FT%T%:z)"; exit 75' USR1 TERM
header running "" ""
echo "threads $OMP_NUM_THREADS resume $resume $(grep Cpus_allowed_list /proc/self/status)"
[ -z "${FAKE_STEP_S:-}" ] || awk -v epochs="${epochs:-1}" -v most="${max_iterations:-0}" -v usual_s="$FAKE_STEP_S" -v first="${FAKE_FIRST:-1}" 'BEGIN {
  print "{\"table\":\"work\",\"iterations_per_epoch\":10}"
  for (now = 1; epoch < epochs; ++epoch) {
    start = now
    step_s = usual_s * (epoch == 0 ? first : 1)
    for (i = 0; i < 10; ++i) {
      if (most > 0 && done++ >= most) exit
      printf "{\"table\":\"iterations\",\"epoch\":%d,\"index\":%d,\"start_s\":%.6f,\"step_s\":%.6f}\n", epoch, i, now, step_s
      now += step_s
    }
    printf "{\"table\":\"epochs\",\"epoch\":%d,\"start_s\":%.6f,\"wall_s\":%.6f}\n", epoch, start, now - start
    printf "{\"table\":\"spans\",\"name\":\"train\",\"epoch\":%d,\"start_s\":%.6f,\"duration_s\":%.6f}\n", epoch, start, now - start
  }
}' >>"$records/$point-$job.jsonl"
if [ -n "${FAKE_DISTURBED:-}" ] && { [ -s "$FAKE_DISTURBED" ] || rm "$FAKE_DISTURBED" 2>/dev/null; }; then
  echo '{"table":"usage","epoch":0,"duration_s":10,"covered_s":10,"cpus":2,"threads":2,"own_cpu_s":7,"other_cpu_s":12}' >>"$records/$point-$job.jsonl"
fi
if [ "${FAKE_STOP:-}" = "${epochs:-1}" ]; then header stopped "as at a limit" "$(date +%FT%T%:z)"; exit 75; fi
for ((i = 0; i < ${FAKE_TENTHS:-0}; ++i)); do sleep 0.1; done
[ -z "${FAKE_DIE:-}" ] || kill -KILL $$
if [ -n "${FAKE_FAIL:-}" ]; then header failed "told to" "$(date +%FT%T%:z)"; exit 1; fi
header complete "" "$(date +%FT%T%:z)"
)sh";

}  // namespace epochcast::test
