#include "src/training/loop/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "src/base/core/text.hpp"
#include "src/forecast/run/epoch_series.hpp"
#include "src/forecast/run/forecast.hpp"

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

/// A future step, with the ends of the 80 % interval of all of them.
Progress::Left mean_step_of(const forecast::Forecast& forecast) {
  const double steps = forecast.rest_s > 0 ? forecast.rest_s / forecast.steady_step_s : 1;
  return {.expected_s = forecast.steady_step_s,
          .low_s = (forecast.total_s.interval_80.low - forecast.spent_s) / steps,
          .high_s = (forecast.total_s.interval_80.high - forecast.spent_s) / steps};
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

void Progress::training_begins(const record::Work& work, const Position& from) {
  steps_per_epoch_ = std::max<std::int64_t>(1, work.iterations_per_epoch);
  steps_done_ = from.epoch * steps_per_epoch_ + from.iteration;
  steps_wanted_ = config_.epochs * steps_per_epoch_;
  if (config_.max_iterations > 0) {
    steps_wanted_ = std::min(steps_wanted_, config_.max_iterations);
  }
  written_at_s_ = clock_.now_s();
  out_ << prefix_
       << fmt::format("{} samples, {} steps per epoch, {} parameters; starting at epoch {} of {}\n",
                      work.samples_per_epoch, work.iterations_per_epoch, work.parameter_count,
                      from.epoch + 1, config_.epochs)
       << std::flush;
}

void Progress::step_ends(const record::Iteration& row, const Metrics&) {
  ++steps_done_;
  step_s_.push_back(row.wait_s + row.step_s);
  const bool is_bar = style_ == ProgressStyle::bar;
  if (clock_.now_s() - written_at_s_ < (is_bar ? bar_interval_s : line_interval_s)) {
    return;
  }
  written_at_s_ = clock_.now_s();
  const auto where = fmt::format("epoch {}/{}, step {}/{}{}", row.epoch + 1, config_.epochs,
                                 row.index + 1, steps_per_epoch_, left_text());
  out_ << (is_bar ? "\r\033[K" + bar() + " " + where : prefix_ + where + "\n") << std::flush;
  warn_if_over();
}

void Progress::evaluated(const Position& position, const Metrics& scores) {
  clear_bar();
  out_ << prefix_
       << fmt::format("epoch {}/{}, step {}/{}{}\n", position.epoch + 1, config_.epochs,
                      position.iteration, steps_per_epoch_, metrics_text(scores))
       << std::flush;
}

void Progress::epoch_ends(const record::Epoch& row, const Metrics& metrics) {
  ++epochs_seen_;
  after_epochs_s_ += row.evaluate_s + row.checkpoint_s;
  clear_bar();
  out_ << prefix_
       << fmt::format("epoch {}/{}: {:.2f} s{}{}\n", row.epoch + 1, config_.epochs, row.wall_s,
                      metrics_text(metrics), left_text())
       << std::flush;
  written_at_s_ = clock_.now_s();
  warn_if_over();
}

void Progress::stops(const std::string& why) {
  out_ << prefix_ << why << '\n' << std::flush;
}

void Progress::warn_if_over() {
  const bool may_be_shorter = config_.max_time.value > 0 || config_.target_accuracy > 0;
  const auto rest = job_end_s_ && !may_be_shorter ? left() : std::nullopt;
  const auto text =
      rest ? forecast::over_limit_text(rest->low_s, *job_end_s_ - clock_.now_s()) : "";
  if (!text.empty()) {
    clear_bar();
    out_ << prefix_ << "warning: " << text << '\n' << std::flush;
    job_end_s_.reset();
  }
}

std::optional<Progress::Left> Progress::left() {
  if (step_s_.empty()) {
    return std::nullopt;
  }
  // A forecast from many steps takes milliseconds: repeat it only when there are 5 % more steps.
  if (20 * step_s_.size() >= 21 * forecast_from_) {
    forecast_from_ = step_s_.size();
    const auto steps = steps_wanted_ - steps_done_ + std::ssize(step_s_);  // of this attempt
    const auto epochs = (steps + steps_per_epoch_ - 1) / steps_per_epoch_;
    const auto answer = forecast::forecast(
        {.step_s = step_s_, .steps_per_epoch = steps_per_epoch_, .epochs = epochs});
    const auto* found = std::get_if<forecast::Forecast>(&answer);
    mean_step_ = found == nullptr ? std::nullopt : std::optional(mean_step_of(*found));
  }
  if (!mean_step_) {
    return std::nullopt;
  }
  const auto steps = static_cast<double>(steps_wanted_ - steps_done_);
  const double after_epoch_s =
      epochs_seen_ > 0 ? after_epochs_s_ / static_cast<double>(epochs_seen_) : 0;
  const double after_s = std::ceil(steps / static_cast<double>(steps_per_epoch_)) * after_epoch_s;
  return Left{.expected_s = steps * mean_step_->expected_s + after_s,
              .low_s = steps * mean_step_->low_s + after_s,
              .high_s = steps * mean_step_->high_s + after_s};
}

/// Both ends where they are far apart: after a few steps that differ much, one number would be a
/// guess.
std::string Progress::left_text() {
  constexpr double far_apart = 2;
  const auto time = [](double seconds) { return format_duration(std::round(seconds)); };
  const auto rest = left();
  if (!rest || rest->expected_s <= 0) {
    return "";
  }
  return rest->high_s > far_apart * rest->low_s
             ? fmt::format("; {} to {} left", time(rest->low_s), time(rest->high_s))
             : fmt::format("; {} left", time(rest->expected_s));
}

std::string Progress::bar() const {
  const auto full =
      steps_wanted_ > 0 ? std::min(bar_width, bar_width * steps_done_ / steps_wanted_) : 0;
  return fmt::format("[{:<{}}]", std::string(static_cast<std::size_t>(full), '='), bar_width);
}

void Progress::clear_bar() {
  if (style_ == ProgressStyle::bar) {
    out_ << "\r\033[K";
  }
}

}  // namespace epochcast::train
