// Real trainings as small as they get, in a folder of their own: the DCGAN on a handful of random
// pictures.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "src/base/process/command.hpp"
#include "src/record/reader.hpp"

namespace epochcast {

class TrainerTest : public testing::Test {
 protected:
  TrainerTest() {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::replace(name.begin(), name.end(), '/', '.');
    folder = std::filesystem::path(testing::TempDir()) /
             ("trainer." + std::to_string(getpid()) + "." + name);
    std::filesystem::create_directories(folder);
  }
  ~TrainerTest() override { std::filesystem::remove_all(folder); }

  static std::string program() { return std::string(EPOCHCAST_BINARY_DIR) + "/epochcast-train"; }

  /// The words of a training of `epochs` epochs of 3 steps at `point`, on one thread, so that its
  /// numbers repeat. An option of `more` replaces ours; without a value it only takes ours away.
  std::vector<std::string> words(const std::string& point, int epochs,
                                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{program(),
                                 "--dataset=synthetic",
                                 "--dataset.samples=6",
                                 "--batch=2",
                                 "--threads=1",
                                 "--epochs=" + std::to_string(epochs),
                                 "--point=" + point,
                                 "--records=" + (folder / "records").string(),
                                 "--work=" + (folder / "work").string()};
    for (const auto& word : more) {
      const auto name = word.substr(0, word.find('=') + 1);
      std::erase_if(all, [&](const auto& ours) { return !name.empty() && ours.starts_with(name); });
      if (word != name) {
        all.push_back(word);
      }
    }
    return all;
  }

  process::CommandResult train(const std::string& point, const std::string& job, int epochs,
                               const std::vector<std::string>& more = {}) const {
    return process::run_command(words(point, epochs, more), 300,
                                {{"EPOCHCAST_JOB_ID", job}, {"EPOCHCAST_ASKED", ""}});
  }

  std::string record_path(const std::string& point, const std::string& job) const {
    return folder / "records" / (point + "-" + job + ".h5");
  }
  record::Record record(const std::string& point, const std::string& job) const {
    return record::read_record(record_path(point, job));
  }

  std::filesystem::path folder;
};

/// (epoch, name) → value of the losses.
inline std::map<std::pair<std::int64_t, std::string>, double> losses_of(
    const record::Record& record) {
  std::map<std::pair<std::int64_t, std::string>, double> losses;
  for (const auto& metric : record.metrics) {
    if (metric.name.view().starts_with("loss_")) {
      losses[{metric.epoch, metric.name.str()}] = metric.value;
    }
  }
  return losses;
}

}  // namespace epochcast
