// Past jobs of a real Slurm: jobs of known lengths, their accounting by the command of
// docs/howto/history.md, and a plan from it without pilots.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "src/base/core/text.hpp"
#include "src/forecast/ledger/ledger.hpp"
#include "tests/fake_trainer.hpp"
#include "tests/files.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int past_jobs = 24;

class SlurmHistory : public SlurmLab {
 protected:
  /// Submits jobs that sleep for 1 to 4 seconds and waits until the accounting has them.
  void run_past_jobs() {
    write("past.sh", "#!/bin/bash\nsleep \"$1\"\n");
    must(
        fmt::format("for i in $(seq {}); do sbatch -Q -J past-$((i % 2)) -c2 -t 10 past.sh "
                    "$((i % 4 + 1)); done",
                    past_jobs));
    must(
        fmt::format("for t in $(seq 120); do [ $(sacct -nPX -S 2020-01-01 -E now -s CD -o JobID | "
                    "wc -l) = {} ] && exit; "
                    "sleep 1; done; exit 1",
                    past_jobs));
  }

  /// The line of the guide that begins with `program`.
  static std::string line_of_guide(const std::string& program) {
    for (const auto& line :
         split(bytes_of(std::string(EPOCHCAST_SOURCE_DIR) + "/docs/howto/history.md"), '\n')) {
      if (line.starts_with(program)) {
        return line;
      }
    }
    ADD_FAILURE() << "docs/howto/history.md has no line of " << program;
    return "";
  }
};

TEST_F(SlurmHistory, GivesQuantilesAndLimitsWithoutPilots) {
  run_past_jobs();
  must(line_of_guide("SLURM_TIME_FORMAT=standard sacct "));
  EXPECT_THAT(must(line_of_guide("epochcast-analyze import sacct")),
              HasSubstr("history/history.csv"));
  const auto table = must("epochcast-analyze table history history --by partition --format csv");
  EXPECT_THAT(table, HasSubstr(fmt::format("\nall,{},0,0,", past_jobs)));

  program("train", test::fake_trainer);
  write("experiment.yaml",
        "name: lab\nmodel: dcgan\ndataset: {name: synthetic, samples: 40}\nbatch: 4\ndevice: cpu\n"
        "epochs: 2\n");
  write("site.yaml", fmt::format("scheduler: slurm\ndefaults: {{account: csc101, memory: 4G, "
                                 "signal_lead: 10s, trainer: {}}}\nallocations:\n"
                                 "  cpu2: {{partition: teaching, cpus: 2, time: 30m}}\n",
                                 home("bin/train").string()));
  must(
      "PATH=$HOME/bin:$PATH epochcast-jobs plan experiment.yaml --cluster ./site.yaml -o out "
      "--history history --name 'past-*' --wait");
  const auto rows = ledger::read_ledger(home("out/ledger.csv"));
  ASSERT_THAT(rows, SizeIs(1));
  const auto& row = rows[0];
  EXPECT_GE(row.forecast_s, 2);
  EXPECT_LE(row.forecast_s, 4);
  EXPECT_GE(row.high_95_s, 4);
  EXPECT_LE(row.high_95_s, 6) << "Slurm counts up to two seconds more than a job slept";
  EXPECT_EQ(row.asked_s, 60 * std::ceil(row.needed_s / 60));
  EXPECT_EQ(row.outcome, ledger::Outcome::complete) << row.reason;
  EXPECT_FALSE(std::filesystem::exists(home("out/pilots")));
  const auto limit = must("sacct -nPX -o TimelimitRaw -j " + row.job);
  EXPECT_EQ(std::atof(limit.c_str()) * 60, row.asked_s);
}

}  // namespace
}  // namespace epochcast
