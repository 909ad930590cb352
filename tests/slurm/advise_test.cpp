// Advice on a real Slurm whose partition `teaching` is full and whose partition `dgx` is empty; the
// trainer only claims its times. tests/bench/advise has the figures under a changing load.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/fake_trainer.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::HasSubstr;

class SlurmAdvise : public SlurmLab {
 protected:
  /// Records of 4 epochs: 41 s on `full`, 61 s on `empty`.
  void make_records() {
    program("train", test::fake_trainer);
    write(
        "experiment.yaml",
        "name: lab\nmodel: dcgan\ndataset: {name: synthetic, samples: 40}\nbatch: 4\ndevice: cpu\n"
        "epochs: 4\n");
    write(
        "site.yaml",
        fmt::format("scheduler: slurm\ndefaults: {{account: csc101, memory: 1G, signal_lead: 10s, "
                    "time: 30m, trainer: {}}}\nallocations:\n"
                    "  full: {{partition: teaching, cpus: 32, setup: ['export FAKE_STEP_S=1']}}\n"
                    "  empty: {{partition: dgx, cpus: 8, setup: ['export FAKE_STEP_S=1.5']}}\n",
                    home("bin/train").string()));
    must(
        "PATH=$HOME/bin:$PATH epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out "
        "&& epochcast-jobs submit out");
    wait_until_settled("out");
  }

  /// allocation -> its row of the table `part`.
  std::map<std::string, nlohmann::json> advice(const std::string& part) {
    const auto text = must(
        "epochcast-jobs advise experiment.yaml --cluster ./site.yaml --from out --explain "
        "--format json --part " +
        part);
    std::map<std::string, nlohmann::json> rows;
    const auto document = nlohmann::json::parse(text);
    for (const auto& row : document.at("tables").at(0).at("rows")) {
      rows[row.at("allocation")] = row;
    }
    return rows;
  }
};

TEST_F(SlurmAdvise, ChoosesTheResultThatIsThereFirstAndNotTheFasterRun) {
  make_records();
  must("for i in 1 2 3; do sbatch -Q -p teaching -c 32 --mem=1G -t 10 --wrap 'sleep 300'; done");
  must("sbatch -Q -p teaching -N 3 -n 3 -c 32 --mem=1G -t 60 --wrap 'sleep 300'");
  must("for t in $(seq 30); do [ $(squeue -h -t R | wc -l) = 3 ] && exit; sleep 1; done; exit 1");
  const auto rows = advice("advice");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows.at("full").at("run_s").get<double>(), 41, 2);
  EXPECT_NEAR(rows.at("empty").at("run_s").get<double>(), 61, 2);
  EXPECT_GT(rows.at("full").at("wait_s").get<double>(), 30);
  EXPECT_LE(rows.at("empty").at("wait_s").get<double>(), 5);
  EXPECT_EQ(rows.at("empty").at("choice"), "<--");
  const auto details = advice("details");
  EXPECT_EQ(details.at("full").at("wait_source"), "queue");
  EXPECT_EQ(details.at("full").at("gap_s"), 0);
}

TEST_F(SlurmAdvise, FindsTheGapBeforeAPlannedStart) {
  make_records();
  must("for i in 1 2; do sbatch -Q -p teaching -c 32 --mem=1G -t 10 --wrap 'sleep 300'; done");
  must("sbatch -Q -p teaching -N 3 -n 3 -c 32 --mem=1G -t 60 --wrap 'sleep 300'");
  must("for t in $(seq 30); do [ $(squeue -h -t R | wc -l) = 2 ] && exit; sleep 1; done; exit 1");
  const auto details = advice("details");
  const double gap_s = details.at("full").at("gap_s");
  EXPECT_GT(gap_s, 8 * 60) << "until the jobs of 10 minutes end, by their limits";
  EXPECT_LE(gap_s, 10 * 60);
  EXPECT_LE(details.at("full").at("wait_high_80_s").get<double>(), 60) << "the next backfill";
}

}  // namespace
}  // namespace epochcast
