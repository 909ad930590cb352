// The unmodified trainer with --device=cuda on the simulated device, beside the same on the CPU.
#pragma once

#include <string>
#include <vector>

#include "tests/trainer/ranks.hpp"

namespace epochcast {

/// The smallest form of a model that has all its parts, without random numbers of the device.
struct SmallModel {
  std::string name;
  std::vector<std::string> options = {};
};
inline void PrintTo(const SmallModel& model, std::ostream* out) {
  *out << model.name;
}

inline const SmallModel small_mlp{"mlp", {"--model.depth=3"}};
inline const SmallModel small_wide_resnet{
    "wide_resnet", {"--model.widen=1", "--model.dropout=0", "--optimizer.learning_rate=1e-3"}};
inline const SmallModel small_distilbert{
    "distilbert",
    {"--model.layers=1", "--model.hidden=24", "--model.heads=4", "--model.intermediate=40",
     "--model.vocabulary=60", "--model.positions=16", "--model.length=16", "--model.dropout=0",
     "--model.head_dropout=0", "--dataset.shortest=0.5"}};
inline const SmallModel small_deit{
    "deit_tiny", {"--model.layers=1", "--model.hidden=24", "--model.size=32", "--model.labels=10"}};
/// At a small learning rate: the pair amplifies rounding.
inline const SmallModel small_dcgan{
    "dcgan", {"--model.width=4", "--model.latent=8", "--optimizer.learning_rate=1e-5"}};

class SimulatedGpu : public RanksTest {
 protected:
  using Words = std::vector<std::string>;
  using Environment = std::map<std::string, std::string>;

  /// The words of a training of `model` on `device`.
  Words on(const std::string& device, const SmallModel& model, const std::string& point, int epochs,
           Words more = {}) const {
    more.insert(more.begin(), model.options.begin(), model.options.end());
    more.insert(more.begin(), {"--model=" + model.name, "--device=" + device});
    return words(point, epochs, more);
  }

  static process::CommandResult run(const Words& words, const std::string& job,
                                    Environment more = {}) {
    more.insert({{"LD_LIBRARY_PATH", EPOCHCAST_SIMULATED_CUDA},
                 {"SIMULATED_CUDA_LOG", "1"},
                 {"EPOCHCAST_JOB_ID", job},
                 {"EPOCHCAST_ASKED", ""}});
    return process::run_command(words, 300, more);
  }

  /// Runs the training, whose job is the device; the record must be complete.
  process::CommandResult train(const std::string& device, const SmallModel& model,
                               const std::string& point, int epochs, const Words& more = {}) const {
    const auto result = run(on(device, model, point, epochs, more), device);
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  }

  /// (epoch, name) → value of all losses.
  static std::map<std::pair<std::int64_t, std::string>, double> all_losses(
      const record::Record& record) {
    std::map<std::pair<std::int64_t, std::string>, double> losses;
    for (const auto& metric : record.metrics) {
      if (metric.name.view().starts_with("loss")) {
        losses[{metric.epoch, metric.name.str()}] = metric.value;
      }
    }
    EXPECT_FALSE(losses.empty());
    return losses;
  }

  static void expect_near(const record::Record& one, const record::Record& other, double part) {
    const auto expected = all_losses(other);
    const auto losses = all_losses(one);
    EXPECT_EQ(losses.size(), expected.size());
    for (const auto& [key, loss] : losses) {
      EXPECT_NEAR(loss, expected.at(key), part * std::abs(expected.at(key)))
          << key.second << " of epoch " << key.first;
    }
  }

  /// A number of the line, which begins so, in which the device says what a GPU would have done.
  static long counted(const process::CommandResult& result, const std::string& name,
                      const std::string& begin = "simulated CUDA: operators ") {
    const auto line = result.err.rfind(begin);
    const auto at = result.err.find(" " + name + " ", line);
    if (line == std::string::npos || at == std::string::npos) {
      ADD_FAILURE() << "no count of " << name << ": " << result.err;
      return -1;
    }
    return std::stol(result.err.substr(at + name.size() + 2));
  }
};

}  // namespace epochcast
