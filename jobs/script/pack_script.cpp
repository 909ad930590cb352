#include "jobs/script/pack_script.hpp"

#include <cmath>
#include <filesystem>

#include "jobs/script/sbatch_header.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"

namespace epochcast::jobs {
namespace {

/// srun reads these variables, so that the scripts of the points stay as they are.
void share_lines(Lines& lines, const AllocationProfile& site) {
  lines.raw(R"(# The share of a point: srun reads it from these variables.
export SLURM_EXACT=1
[ "${SLURM_MEM_PER_NODE:-0}" -eq 0 ] || export SLURM_MEM_PER_NODE=$((SLURM_MEM_PER_NODE / parallel))
unset SLURM_NTASKS_PER_NODE SLURM_GPUS SLURM_GPUS_PER_NODE)");
  if (site.pack.shares_gpu()) {
    lines.raw("export SLURM_OVERLAP=1 # they share the GPUs");
  } else if (const auto gpus = run::gpus_on_node(site.asks); gpus > 0) {
    lines.add("export SLURM_GPUS_PER_NODE={}", gpus);
  }
  lines.raw("");
}

constexpr const char* functions =
    R"sh(declare -A running=() begun_s=() told_s=() # by the process of the point's script
left=() failed=0 stopped=0 begun=0 longest=0 stop=

end=${SLURM_JOB_END_TIME:-$(squeue -h -j "$job" -o %e 2>/dev/null)}
case $end in *T*) end=$(date -d "$end" +%s) ;; esac
[[ $end =~ ^[0-9]+$ ]] || end=

# shellcheck disable=SC2317 # the trap calls it
forward() { # a signal near the end is that of the time limit, another one cancels the job
  stop=cancelled
  [ -z "$end" ] || [ "$(date +%s)" -lt $((end - lead - 90)) ] || stop=limit
  [ "${#running[@]}" -eq 0 ] || kill -USR1 "${!running[@]}" 2>/dev/null
}
trap forward USR1 TERM

fits() { # seconds before the signal, which may come 60 s early; 0: as long as the longest so far
  local needs=$1
  [ "$needs" -gt 0 ] || needs=$longest
  [ "$begun" -lt "$parallel" ] || [ -z "$end" ] || [ $(($(date +%s) + needs)) -le $((end - lead - 60)) ]
}

begin() {
  EPOCHCAST_PACK="$parallel $(date +%FT%T) $SECONDS $per" \
    bash "$out/scripts/$1.sbatch" </dev/null >>"$out/logs/$1-$job.out" 2>&1 &
  running[$!]=$1 begun_s[$!]=$SECONDS begun=$((begun + 1))
  echo "epochcast: began $1"
}

end_alone() { # a point that was cancelled; after the lead, or at once, srun turns TERM into KILL
  local how
  if [ ! -e "$cancelled/${running[$1]}" ] || ! read -r how <"$cancelled/${running[$1]}"; then return; fi
  if [ -z "${told_s[$1]:-}" ]; then
    echo "epochcast: ${running[$1]} is cancelled"
    told_s[$1]=$SECONDS
    kill -USR1 "$1" 2>/dev/null
  fi
  if [ "$how" = at_once ] || [ $((SECONDS - told_s[$1])) -gt "$lead" ]; then pkill -TERM -P "$1"; fi
}

watch() { # waits a second, then looks who has ended
  local pid rc why
  sleep 1 &
  wait "$!"
  for pid in "${!running[@]}"; do
    if kill -0 "$pid" 2>/dev/null; then
      end_alone "$pid"
      continue
    fi
    wait "$pid"
    rc=$? why=
    [ "$rc" -eq 0 ] || [ "$rc" -eq 75 ] || ! grep -qE 'Out Of Memory|oom-kill' "$out/logs/${running[$pid]}-$job.out" || why=" out_of_memory"
    echo "epochcast: ${running[$pid]} ended with status $rc$why"
    echo "${running[$pid]} $rc$why" >>"$ended"
    case $rc in 0) ;; 75) stopped=1 ;; *) failed=1 ;; esac
    [ "$rc" -eq 0 ] || again &
    [ $((SECONDS - begun_s[$pid])) -le "$longest" ] || longest=$((SECONDS - begun_s[$pid]))
    unset "running[$pid]" "told_s[$pid]"
  done
}

mapfile -t rows <"$table"
for row in "${rows[@]}"; do
  while [ "${#running[@]}" -ge "$parallel" ]; do watch; done
  if [ -e "$cancelled/${row% *}" ]; then
    stopped=1
    echo "epochcast: ${row% *} was cancelled"
    echo "${row% *} 0" >>"$ended"
  elif [ -z "$stop" ] && fits "${row##* }"; then begin "${row% *}"; else left+=("${row% *}"); fi
done
while [ "${#running[@]}" -gt 0 ]; do watch; done
)sh";

}  // namespace

std::string pack_script_text(const AllocationProfile& site, const ScriptContext& context,
                             const std::string& files) {
  Lines lines;
  lines.raw("#!/bin/bash");
  add_sbatch_header(lines, packed(site), context.out, "epochcast." + site.name, "%x-%j.out");
  lines.raw("# Made by epochcast-jobs: runs the points of a table, several at a time.");
  lines.raw("set -u");
  lines.add("out={}", shell_quote(context.out));
  lines.add("table={} # a point, and the seconds that it may need (0: not known)",
            shell_quote(files + ".points"));
  lines.add("ended={}", shell_quote(files + ".ended"));
  lines.add("cancelled={} # files named as points", shell_quote(files + ".cancelled"));
  lines.raw("job=${SLURM_JOB_ID:?not a job: submit this with sbatch}");
  lines.add("parallel={} per={} lead={:.0f}\n", site.pack.parallel, site.pack.per,
            std::ceil(site.launch.signal_lead.value));
  share_lines(lines, site);
  const auto jobs = shell_quote(program_beside_trainer(context.trainer, "epochcast-jobs"));
  lines.add("again() {{ # what retry: says of a point that ended\n  {}\n}}\n",
            site.retry.submits() ? fmt::format("{} resubmit \"$out\" --retry", jobs) : ":");
  lines.raw(functions);
  lines.raw(R"(if [ "${#left[@]}" -gt 0 ]; then
  stopped=1
  mkdir -p "$out/claims/released"
  for point in "${left[@]}"; do : >"$out/claims/released/$point.$job"; done
  echo "epochcast: not begun here: ${left[*]}"
  if [ "$stop" != cancelled ]; then)");
  lines.add(
      "    {} submit \"$out\" --filter=\"point=$(IFS=,; echo \"${{left[*]}}\")\" ||\n"
      "      echo \"epochcast: 'epochcast-jobs submit' submits them\" >&2",
      jobs);
  lines.raw(R"(  fi
fi
wait # for what submits again)");
  if (site.notify != Notify{}) {
    lines.add("EPOCHCAST_ENDED=\"$job $failed\" {} notify \"$out\"", jobs);
  }
  lines.raw(R"([ "$failed" -eq 0 ] || exit 1
exit $((stopped * 75)) # 0: all done; 75: some stopped early or were not begun; 1: some failed)");
  return std::move(lines).text();
}

}  // namespace epochcast::jobs
