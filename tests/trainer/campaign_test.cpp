// Real trainings killed at random moments: every file opens or salvages, and no epoch is lost that
// the program had already reported as done.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "src/base/core/clock.hpp"
#include "tests/trainer/trainer.hpp"

namespace epochcast {
namespace {

class SlowCampaign : public TrainerTest {
 protected:
  /// Epochs that the log calls done: "epoch 2/4: ...".
  static std::int64_t confirmed_in(const std::string& log, int epochs) {
    std::int64_t confirmed = 0;
    while (log.find("epoch " + std::to_string(confirmed + 1) + "/" + std::to_string(epochs) +
                    ":") != std::string::npos) {
      ++confirmed;
    }
    return confirmed;
  }

  /// Nothing where it was killed before the record's first line was out.
  std::optional<record::Record> rescue(const std::string& path) {
    const auto verdict = record::verify_record(path);
    if (verdict.readable) {
      ++opened;
      return record::read_record(path);
    }
    std::ifstream lines(std::filesystem::path(path).replace_extension(".jsonl"));
    std::string first;
    if (!std::getline(lines, first) || lines.eof()) {
      ++not_begun;
      return std::nullopt;
    }
    ++salvaged;
    return record::read_record(record::salvage_record(path));
  }

  int opened = 0;
  int salvaged = 0;
  int not_begun = 0;
};

TEST_F(SlowCampaign, OfKillsLosesNoConfirmedEpoch) {
  const int kills = std::getenv("EPOCHCAST_LONG") != nullptr ? 200 : 20;
  constexpr int epochs = 4;
  // One step an epoch and no pictures or checkpoints: epochs end often, and the record is what is
  // killed.
  const auto quick = words("p", epochs,
                           {"--batch=1", "--dataset.samples=1", "--checkpoint-every=0",
                            "--sample-every=0", "--flush-interval=10ms"});
  const double begun_s = SteadyClock().now_s();
  ASSERT_EQ(process::run_command(quick, 300, {{"EPOCHCAST_JOB_ID", "0"}}).status, 0);
  const double whole_s = SteadyClock().now_s() - begun_s;

  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> moment(0, whole_s);
  std::int64_t confirmed_epochs = 0;
  for (int i = 0; i < kills; ++i) {
    const auto job = std::to_string(i + 1);
    const double killed_after_s = moment(random);
    const auto result = process::run_command(quick, killed_after_s, {{"EPOCHCAST_JOB_ID", job}});
    SCOPED_TRACE("killed after " + std::to_string(killed_after_s) + " s");
    const auto confirmed = confirmed_in(result.err, epochs);
    confirmed_epochs += confirmed;
    const auto rescued = rescue(record_path("p", job));
    ASSERT_TRUE(rescued || confirmed == 0);
    if (rescued) {
      EXPECT_GE(std::ssize(rescued->epochs), confirmed);
      EXPECT_EQ(rescued->header.point.view(), "p");
    }
  }
  std::cout << kills << " kills within " << whole_s << " s: " << opened << " files opened, "
            << salvaged << " salvaged, " << not_begun << " not begun; " << confirmed_epochs
            << " confirmed epochs, none lost\n";
}

}  // namespace
}  // namespace epochcast
