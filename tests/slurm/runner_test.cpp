// epochcast-run in jobs: several ranks, the time limit, a node that dies.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::HasSubstr;

class SlurmRunner : public SlurmLab {
 protected:
  /// A program that prints `epochs` epochs of a second.
  std::string epochs(int count) {
    return write("train.sh", fmt::format("i=0\n"
                                         "while [ $i -lt {0} ]; do i=$((i + 1)); sleep 1\n"
                                         "  echo \"Epoch $i/{0} loss: 0.$i\"; done\n",
                                         count));
  }

  /// Submits a job of these lines; its id.
  std::string submit(const std::string& options, const std::string& lines) {
    const auto script = write("job.sh", "#!/bin/bash\n" + lines + "\n");
    auto id =
        must("sbatch --parsable -A csc101 -p teaching " + options + " -o job-%j.out " + script);
    return id.substr(0, id.find_first_of(";\n"));
  }

  void wait_until_gone(const std::string& job) {
    while (!must("squeue -h -j " + job +
                 " --states=all -o %T | grep -vE "
                 "'COMPLETED|FAILED|TIMEOUT|NODE_FAIL|CANCELLED' || true")
                .empty()) {
      usleep(500000);
    }
  }

  std::string record_of(const std::string& job) {
    return home("records/p-" + job + ".h5").string();
  }
};

TEST_F(SlurmRunner, OfRanksOnThreeNodesThereIsOneRecord) {
  const auto train = epochs(5);
  const auto job = submit("-N 3 -n 3 -t 5",
                          "srun epochcast-run --point=p --telemetry=500ms "
                          "--records=records --work=work -- sh " +
                              train);
  wait_until_gone(job);
  const auto record = record::read_record(record_of(job));
  EXPECT_EQ(record.header.outcome.str(), "complete");
  EXPECT_EQ(record.epochs.size(), 5);
  std::map<std::int64_t, int> samples;
  for (const auto& row : record.telemetry) {
    ++samples[row.rank];
  }
  EXPECT_EQ(record.machines.size(), 3);
  EXPECT_EQ(samples.size(), 3);
}

TEST_F(SlurmRunner, ANodeThatDiesLeavesWhatWasConfirmed) {
  const auto train = epochs(1000);
  const auto job =
      submit("-t 30", "epochcast-run --point=p --records=records --work=work -- sh " + train);
  const auto lines = home("records/p-" + job + ".jsonl").string();
  std::size_t confirmed = 0;
  while (confirmed < 5) {
    usleep(500000);
    confirmed =
        std::filesystem::exists(lines) ? record::read_json_lines(lines).record.epochs.size() : 0;
  }
  const auto node = must("squeue -h -o %N -j " + job);
  lab({"kill-node", node.substr(0, node.find('\n'))});
  const auto record = record::read_record(record_of(job));
  EXPECT_EQ(record.header.outcome.str(), "running");
  EXPECT_GE(record.epochs.size() + 1, confirmed);  // a flush may have been under way
  EXPECT_GE(record::read_json_lines(lines).record.epochs.size(), confirmed);
}

TEST_F(SlurmRunner, BeforeTheLimitTheProgramIsWarnedOfAndAskedToStop) {
  const auto train = write("train.sh",
                           "trap 'echo saved; exit 75' USR1\ni=0\n"
                           "while :; do i=$((i + 1)); sleep 1 & wait $!\n"
                           "  echo \"Epoch $i/1000 loss: 0.$i\"; done\n");
  const auto job = submit("-t 1",
                          "epochcast-run --point=p --records=records --work=work "
                          "--checkpoint-signal=USR1 --checkpoint-lead=45s -- sh " +
                              train);
  wait_until_gone(job);
  const auto record = record::read_record(record_of(job));
  EXPECT_EQ(record.header.outcome.str(), "stopped");
  EXPECT_EQ(record.header.outcome_text.str(),
            "the command stopped early with exit status 75 after SIGUSR1");
  const auto printed = must("cat job-" + job + ".out");
  EXPECT_THAT(printed, HasSubstr("saved"));
  EXPECT_THAT(printed, HasSubstr("epochcast-run: warning: the job ends in "));
}

}  // namespace
}  // namespace epochcast
