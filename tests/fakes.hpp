// A clock and a workload that tests can inspect; they depend only on what the test sets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/training/loop/workload.hpp"

namespace epochcast {

class FakeClock : public Clock {
 public:
  double now_s() const override { return time_s; }
  double time_s = 0;
};

/// Trains a single number: every step mixes epoch and iteration into it, so that a step that is
/// left out, repeated or reordered changes the number. Every call takes 1/1024 s, loading 1/64 s, a
/// step 1/8 s.
class FakeWorkload : public train::Workload,
                     public train::Evaluator,
                     public train::CheckpointStore,
                     public train::Sampler {
 public:
  explicit FakeWorkload(FakeClock& clock) : clock_(clock) {}

  std::int64_t samples = 10;
  std::int64_t batch = 4;
  double exchange_on_device_s = 0;
  std::size_t device_times_late_by = 0;  ///< Steps; 0: a CPU, which has no device times.
  std::function<void(std::size_t call)> before_call = {};  ///< May throw or request a stop.
  std::function<void()> after_save = {};
  double chooses_kernels_s = 0;  ///< What the first step and the first evaluation take longer.
  int evaluations = 0;
  std::vector<double> scores;      ///< Of successive evaluations, 1/4 s each; then none.
  int reaches_target_after = 0;    ///< Evaluations; 0: never.
  std::vector<std::string> calls;  ///< All that change something, in order.
  std::uint64_t weights = 1;
  std::vector<std::string> remarks;

  double loss = 1;  ///< loss_g.

  train::WorkloadParts parts() override {
    return {.evaluator = this, .checkpoints = this, .sampler = this};
  }
  record::Work describe() const override {
    return {.parameter_count = 1,
            .flops_per_sample = 2,
            .bytes_per_sample = 8,
            .samples_per_epoch = samples,
            .iterations_per_epoch = (samples + batch - 1) / batch,
            .precision = "fp32"};
  }
  void start_epoch(std::int64_t epoch) override {
    note("start_epoch " + std::to_string(epoch));
    position_ = restored_ && position_.epoch == epoch ? position_ : train::Position{epoch, 0};
    restored_ = false;
  }
  train::Batch load_batch() override {
    note("load_batch");
    clock_.time_s += 1.0 / 64;
    const auto left = samples - position_.iteration * batch;
    const auto count = std::max<std::int64_t>(0, std::min(batch, left));
    return {.samples = count, .work = 2.0 * static_cast<double>(count)};
  }
  void step() override {
    note("step");
    clock_.time_s += 1.0 / 8;
    choose_kernels(steps_ == 0);
    weights = weights * 6364136223846793005u +
              static_cast<std::uint64_t>(position_.epoch * 1000 + position_.iteration);
    ++position_.iteration;
    ++steps_;
  }
  void synchronize() override {
    note("synchronize");
    idle_ = true;
  }
  std::vector<train::DeviceTime> take_device_times() override {
    std::vector<train::DeviceTime> times;
    const auto late = idle_ ? 0 : static_cast<std::int64_t>(device_times_late_by);
    for (; device_times_late_by > 0 && taken_ < steps_ - late; ++taken_) {
      times.push_back({taken_, 0.5 + static_cast<double>(taken_), exchange_on_device_s});
    }
    idle_ = false;
    return times;
  }
  train::Metrics losses() override {
    note("losses");
    return {{"loss_d", static_cast<double>(weights >> 40)}, {"loss_g", loss}};
  }
  double take_kernel_choice_s() override { return std::exchange(kernel_choice_s_, 0); }
  train::Metrics evaluate() override {
    const auto index = static_cast<std::size_t>(evaluations++);
    choose_kernels(index == 0);
    if (index >= scores.size()) {
      is_best_ = false;
      return {};
    }
    clock_.time_s += 1.0 / 4;
    is_best_ = index == 0 || scores[index] > best_;
    best_ = is_best_ ? scores[index] : best_;
    return {{"val_accuracy", scores[index]}};
  }
  bool is_best() const override { return is_best_; }
  void save_weights(const std::string& path) override { std::ofstream(path) << best_; }
  bool reached_target() const override {
    return reaches_target_after > 0 && evaluations >= reaches_target_after;
  }
  void sample(const std::string& png_path) override {
    note("sample " + std::filesystem::path(png_path).filename().string());
  }
  void save(const std::string& path) override {
    note("save");
    const auto epoch_done = position_.iteration * batch >= samples;
    const auto position = epoch_done ? train::Position{position_.epoch + 1, 0} : position_;
    std::ofstream(path) << weights << ' ' << position.epoch << ' ' << position.iteration;
    if (after_save) {
      after_save();
    }
  }
  train::Position restore(const std::string& path) override {
    note("restore");
    std::ifstream(path) >> weights >> position_.epoch >> position_.iteration;
    restored_ = true;
    return position_;
  }
  std::vector<std::string> notes() const override { return remarks; }

 private:
  void choose_kernels(bool is_first) {
    if (is_first) {
      clock_.time_s += chooses_kernels_s;
      kernel_choice_s_ += chooses_kernels_s;
    }
  }
  void note(const std::string& call) {
    clock_.time_s += 1.0 / 1024;
    if (before_call) {
      before_call(calls.size());
    }
    calls.push_back(call);
  }

  FakeClock& clock_;
  train::Position position_;
  bool restored_ = false;
  bool is_best_ = false;
  double best_ = 0;
  bool idle_ = false;
  double kernel_choice_s_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t taken_ = 0;
};

}  // namespace epochcast
