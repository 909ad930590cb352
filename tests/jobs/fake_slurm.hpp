// A fake Slurm in PATH that keeps its jobs in a file and fails as it is told.
#pragma once

#include <algorithm>
#include <string>

#include "tests/jobs/campaign_test.hpp"

namespace epochcast::jobs::test {

/// FAKE/mode says how sbatch behaves; FAKE/queue holds a line for each job it took.
inline const char* const fake_sbatch = R"sh(#!/bin/bash
mode=$(cat "$FAKE/mode" 2>/dev/null)
printf '%s\n' "$*" >>"$FAKE/calls"
env | grep -E '^(SLURM|SBATCH)_' >>"$FAKE/inherited"
n=$(($(wc -l <"$FAKE/queue") + 1))
for word in "$@"; do case $word in --comment=*) token=${word#*=} ;; --array=*) array=$word ;; *.sbatch) script=$word ;; esac; done
name=$(basename "$script" .sbatch)
if [ -n "${array:-}" ]; then last=${array%%%*} last=${last#*-}; last=${last##*-}; for ((i = 0; i <= last; ++i)); do echo "$n|${n}_$i|PENDING|0:00|Priority|$name|$token" >>"$FAKE/queue"; done
else echo "$n|$n|PENDING|0:00|Priority|$name|$token" >>"$FAKE/queue"; fi
[ "$mode" != die ] || { kill -KILL "$PPID"; exit 1; }
echo "$n"
)sh";
inline const char* const fake_squeue = "#!/bin/bash\ncat \"$FAKE/queue\"\n";
inline const char* const fake_sacct =
    "#!/bin/bash\n[ -e \"$FAKE/accounting\" ] || { echo 'Slurm accounting storage is disabled' "
    ">&2; exit 1; }\ncat \"$FAKE/accounting\"\n";
inline const char* const fake_scontrol =
    "#!/bin/bash\nprintf 'MaxArraySize            = 3\\nMaxJobCount             = 10000\\n'\n";

class SubmitTest : public FourPoints {
 protected:
  SubmitTest()
      : path_("PATH", (folder_ / "bin").string() + ":" + std::getenv("PATH")),
        fake_("FAKE", folder_ / "fake") {
    folder_.write("bin/sbatch", fake_sbatch, true);
    folder_.write("bin/squeue", fake_squeue, true);
    folder_.write("bin/sacct", fake_sacct, true);
    folder_.write("bin/scontrol", fake_scontrol, true);
    folder_.write("bin/sacctmgr", "#!/bin/bash\nexit 1\n", true);
    folder_.write("fake/queue", "");
  }
  void mode(const std::string& mode) const { folder_.write("fake/mode", mode); }
  std::string queue() const { return read_file(folder_ / "fake/queue"); }
  /// Jobs the fake controller took; never more than one a point if nothing went wrong.
  long taken() const {
    const auto text = queue();
    return std::count(text.begin(), text.end(), '\n');
  }

  test::WithVariable path_, fake_;
};

}  // namespace epochcast::jobs::test
