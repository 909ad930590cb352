// A fake Slurm in PATH that keeps its jobs in a file and fails as it is told.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "jobs/campaign/generate.hpp"
#include "jobs/campaign/status.hpp"
#include "jobs/submit/submit.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs::test {

/// FAKE/mode says how sbatch behaves; FAKE/queue holds a line for each job it took.
inline const char* const fake_sbatch = R"sh(#!/bin/bash
mode=$(cat "$FAKE/mode" 2>/dev/null)
printf '%s\n' "$*" >>"$FAKE/calls"
env | grep -E '^(SLURM|SBATCH)_' >>"$FAKE/inherited"
case $mode in
  down) echo "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)" >&2; exit 1 ;;
  refuse) echo "sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified" >&2; exit 1 ;;
esac
n=$(($(wc -l <"$FAKE/queue") + 1))
for word in "$@"; do case $word in --comment=*) token=${word#*=} ;; --array=*) array=$word ;; *.sbatch) script=$word ;; esac; done
name=$(basename "$script" .sbatch)
if [ -n "${array:-}" ]; then last=${array%%%*} last=${last#*-}; last=${last##*-}; for ((i = 0; i <= last; ++i)); do echo "$n|${n}_$i|PENDING|0:00|Priority|$name|$token" >>"$FAKE/queue"; done
else echo "$n|$n|PENDING|0:00|Priority|$name|$token" >>"$FAKE/queue"; fi
case $mode in
  lost) echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2; exit 1 ;;
  die) kill -KILL "$PPID"; exit 1 ;;
  banner) echo "Welcome to the cluster"; echo "$n;main" ;;
  *) echo "$n" ;;
esac
)sh";
inline const char* const fake_squeue = R"sh(#!/bin/bash
[ "$(cat "$FAKE/mode" 2>/dev/null)" != down ] || { echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }
cat "$FAKE/queue"
)sh";
inline const char* const fake_sacct =
    "#!/bin/bash\n[ -e \"$FAKE/accounting\" ] || { echo 'Slurm accounting storage is disabled' "
    ">&2; exit 1; }\ncat \"$FAKE/accounting\"\n";
inline const char* const fake_scontrol =
    "#!/bin/bash\nprintf 'MaxArraySize            = 3\\nMaxJobCount             = 10000\\n'\n";

/// The lines of a record that a running job has written.
inline std::string running_record(const std::string& point, const std::string& job) {
  return fmt::format(
      R"({{"table":"header","schema_version":1,"created_at":"2026-11-21T09:00:00+00:00","outcome":"running","point":"{}","job_id":"{}"}})"
      "\n",
      point, job);
}

class SubmitTest : public testing::Test {
 protected:
  SubmitTest()
      : path_("PATH", (folder_ / "bin").string() + ":" + std::getenv("PATH")),
        fake_("FAKE", folder_ / "fake"),
        out_(folder_ / "out") {
    folder_.write("bin/sbatch", fake_sbatch, true);
    folder_.write("bin/squeue", fake_squeue, true);
    folder_.write("bin/sacct", fake_sacct, true);
    folder_.write("bin/scontrol", fake_scontrol, true);
    folder_.write("bin/sacctmgr", "#!/bin/bash\nexit 1\n", true);
    folder_.write("fake/queue", "");
    const auto cluster = folder_.write("c.yaml",
                                       "scheduler: slurm\nallocations:\n  a: {cpus: 1, memory: 1G, "
                                       "time: 1h}\n  b: {cpus: 2, memory: 1G, time: 1h}\n");
    const auto experiment = folder_.write("x.yaml", "name: x\nsweep: {epochs: [1, 2]}\n");
    generate({experiment, cluster, out_, {}, {}});
    for (const auto& point : status(out_).points) {
      points_.push_back(point.point);
    }
  }
  void mode(const std::string& mode) const { folder_.write("fake/mode", mode); }
  std::string queue() const { return read_file(folder_ / "fake/queue"); }
  /// Jobs the fake controller took; never more than one a point if nothing went wrong.
  long taken() const {
    const auto text = queue();
    return std::count(text.begin(), text.end(), '\n');
  }
  SubmitReport submit_all() const { return submit({.out = out_, .filters = {}, .points = {}}); }

  TempFolder folder_;
  test::WithVariable path_, fake_;
  std::string out_;
  std::vector<std::string> points_;
};

}  // namespace epochcast::jobs::test
