#include "src/training/loop/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/text.hpp"

namespace epochcast::train {
namespace {

constexpr double bar_interval_s = 0.2;
constexpr double line_interval_s = 30;
constexpr std::int64_t bar_width = 30;

std::string metrics_text(const Metrics& metrics) {
  std::string text;
  for (const auto& [name, value] : metrics) {
    text += fmt::format(", {} {:.4g}", printable(name), value);
  }
  return text;
}

/// Both ends where they are far apart: after a few steps that differ much, one number would be a
/// guess.
std::string left_text(const std::optional<forecast::Prediction>& left) {
  constexpr double far_apart = 2;
  const auto time = [](double seconds) { return format_duration(std::round(seconds)); };
  if (!left || left->value <= 0) {
    return "";
  }
  const auto& [low_s, high_s] = left->interval_80;
  return high_s > far_apart * low_s ? fmt::format("; {} to {} left", time(low_s), time(high_s))
                                    : fmt::format("; {} left", time(left->value));
}

}  // namespace

ProgressStyle progress_style_of_stderr() {
  return isatty(STDERR_FILENO) == 1 ? ProgressStyle::bar : ProgressStyle::lines;
}

void Progress::opened(const std::vector<std::string>& notes) {
  for (const auto& note : notes) {
    out_ << prefix_ << "note: " << printable(note) << '\n';
  }
}

void Progress::training_begins(const record::Work& work, const Position& from,
                               const forecast::ObservedRun& run) {
  steps_per_epoch_ = std::max<std::int64_t>(1, work.iterations_per_epoch);
  steps_done_ = from.epoch * steps_per_epoch_ + from.iteration;
  run_ = &run;
  length_ = forecast::within_steps(
      {.epochs = config_.epochs, .stops_at_target = config_.target_accuracy > 0},
      config_.max_iterations, steps_per_epoch_);
  written_at_s_ = clock_.now_s();
  out_ << prefix_
       << fmt::format("{} samples, {} steps per epoch, {} parameters; starting at epoch {} of {}\n",
                      work.samples_per_epoch, work.iterations_per_epoch, work.parameter_count,
                      from.epoch + 1, config_.epochs)
       << std::flush;
}

void Progress::step_ends(const record::Iteration& row, const Metrics&) {
  ++steps_done_;
  const bool is_bar = style_ == ProgressStyle::bar;
  if (clock_.now_s() - written_at_s_ < (is_bar ? bar_interval_s : line_interval_s)) {
    return;
  }
  written_at_s_ = clock_.now_s();
  const auto left = this->left();
  const auto where = fmt::format("epoch {}/{}, step {}/{}{}", row.epoch + 1, config_.epochs,
                                 row.index + 1, steps_per_epoch_, left_text(left));
  out_ << (is_bar ? "\r\033[K" + bar() + " " + where : prefix_ + where + "\n") << std::flush;
  warn_if_over(left);
}

void Progress::evaluated(const Position& position, const Metrics& scores) {
  clear_bar();
  out_ << prefix_
       << fmt::format("epoch {}/{}, step {}/{}{}\n", position.epoch + 1, config_.epochs,
                      position.iteration, steps_per_epoch_, metrics_text(scores))
       << std::flush;
}

void Progress::epoch_ends(const record::Epoch& row, const Metrics& metrics) {
  const auto left = this->left();
  clear_bar();
  out_ << prefix_
       << fmt::format("epoch {}/{}: {:.2f} s{}{}\n", row.epoch + 1, config_.epochs, row.wall_s,
                      metrics_text(metrics), left_text(left))
       << std::flush;
  written_at_s_ = clock_.now_s();
  warn_if_over(left);
}

void Progress::stops(const std::string& why) {
  out_ << prefix_ << why << '\n' << std::flush;
}

void Progress::warn_if_over(const std::optional<forecast::Prediction>& left) {
  const bool may_be_shorter = config_.max_time.value > 0 || config_.target_accuracy > 0;
  const auto text =
      left && job_end_s_ && !may_be_shorter
          ? forecast::over_limit_text(left->interval_80.low, *job_end_s_ - clock_.now_s())
          : "";
  if (!text.empty()) {
    clear_bar();
    out_ << prefix_ << "warning: " << text << '\n' << std::flush;
    job_end_s_.reset();
  }
}

std::optional<forecast::Prediction> Progress::left() const {
  return run_ == nullptr ? std::nullopt : forecast::left_s(*run_, length_, clock_.now_s());
}

std::string Progress::bar() const {
  const double steps = length_.epochs_done() * static_cast<double>(steps_per_epoch_);
  const std::int64_t wanted = std::llround(steps);
  const auto full = wanted > 0 ? std::min(bar_width, bar_width * steps_done_ / wanted) : 0;
  return fmt::format("[{:<{}}]", std::string(static_cast<std::size_t>(full), '='), bar_width);
}

void Progress::clear_bar() {
  if (style_ == ProgressStyle::bar) {
    out_ << "\r\033[K";
  }
}

}  // namespace epochcast::train
