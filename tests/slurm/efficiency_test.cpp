// Five kinds of job, submitted by hand: what the end of their logs and the table of all advise.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/files.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const char* const job_py = R"py(
import sys, time
kind = sys.argv[1]
held = bytearray((700 if kind == "killed" else 150) << 20)
end = time.monotonic() + 12
while time.monotonic() < end:
    time.sleep(1) if kind == "idle" else sum(range(100000))
)py";

class SlurmEfficiency : public SlurmLab {
 protected:
  SlurmEfficiency() { cgroups_ = true; }

  void submit(const std::string& kind, const std::string& options) {
    write(kind + ".sh",
          fmt::format("#!/bin/bash\nexport LD_LIBRARY_PATH=$HOME/lib FAKE_NVML_IDLE=1\n"
                      "epochcast-run --point={0} --records=records -- python3 job.py {0}\n",
                      kind));
    must(fmt::format("sbatch --account=csc101 --output={0}.log {1} {0}.sh", kind, options));
  }

  std::string log(const std::string& kind) { return bytes_of(home(kind + ".log")); }
};

TEST_F(SlurmEfficiency, TheReportOfAJobAndTheTableSayWhatToAskForNext) {
  write("job.py", job_py);
  must("mkdir lib && cp " EPOCHCAST_FAKE_NVML " lib/libnvidia-ml.so.1");
  submit("idle", "-c1 --mem=300M -t10 --gres=gpu:1");
  submit("memory", "-c1 --mem=8G -t10");
  submit("cpus", "-c16 --mem=300M -t10");
  submit("right", "-c1 --mem=256M -t1");
  submit("killed", "-c1 --mem=400M -t10");
  must("for i in $(seq 90); do [ -z \"$(squeue -h)\" ] && exit; sleep 1; done; exit 1");

  EXPECT_THAT(log("idle"),
              AllOf(HasSubstr("limited by the program: nothing ran on the GPU"),
                    ContainsRegex("ask next time for time 5m, cpus 1, memory [0-9]+M, gpus 0 ")));
  EXPECT_THAT(log("memory"), AllOf(HasSubstr(" of 8.00 GiB ("),
                                   ContainsRegex("ask next time for .*memory (256|384)M ")));
  EXPECT_THAT(log("cpus"), ContainsRegex(" of 16 busy .*ask for [12]\n"));
  EXPECT_THAT(log("right"), AllOf(ContainsRegex("used [0-9.]+s of 1m"),
                                  HasSubstr("ask next time for time 1m, cpus 1, memory 256M ")));
  EXPECT_THAT(log("killed"),
              AllOf(HasSubstr("limited by memory: it was ended for lack of it"),
                    HasSubstr("ask next time for memory 640M (1.5 times what it had)"),
                    ContainsRegex("oom.kill event")));

  const auto table = must("epochcast-analyze table efficiency records --format csv");
  EXPECT_LT(table.find("records/idle"), table.find("records/memory")) << "a GPU in vain first";
  EXPECT_LT(table.find("records/cpus"), table.find("records/memory")) << table;
  EXPECT_THAT(table, HasSubstr("memory 640M"));

  must(
      "for i in $(seq 60); do [ $(sacct -nPX -S 2020-01-01 -E now -s CD,OOM -o JobID | wc -l) = 5 "
      "] && exit; sleep 1; "
      "done; exit 1");
  must(
      "sacct -P -D -S 2025-01-01 -o "
      "JobID,JobName,State,Submit,Start,End,Elapsed,Timelimit,AllocTRES,ReqTRES,NNodes,NCPUS,"
      "NodeList,TotalCPU,NTasks,MaxRSS >jobs.txt && epochcast-analyze import sacct jobs.txt -o "
      "history");
  const auto history = must("epochcast-analyze table efficiency history --format csv");
  EXPECT_THAT(history,
              AllOf(HasSubstr("OUT_OF_MEMORY"), HasSubstr("memory 640M"), Not(HasSubstr("nan"))));
}

}  // namespace
}  // namespace epochcast
