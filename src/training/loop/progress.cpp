#include "src/training/loop/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ostream>

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
  run_ = forecast::ObservedRun(work);
  const auto whole = forecast::epochs_of_steps(steps_wanted_, steps_per_epoch_);
  length_ = {.epochs = whole.epochs,
             .unfinished = whole.unfinished,
             .stops_at_target = config_.target_accuracy > 0};
  written_at_s_ = clock_.now_s();
  out_ << prefix_
       << fmt::format("{} samples, {} steps per epoch, {} parameters; starting at epoch {} of {}\n",
                      work.samples_per_epoch, work.iterations_per_epoch, work.parameter_count,
                      from.epoch + 1, config_.epochs)
       << std::flush;
}

void Progress::step_ends(const record::Iteration& row, const Metrics&) {
  ++steps_done_;
  steps_here_ += 1;
  run_.add(row);
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
  run_.add(row);
  forecast_from_ = 0;
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
  // A forecast from many steps takes milliseconds: repeat it only when there are 5 % more steps.
  if (20 * steps_here_ >= 21 * forecast_from_) {
    forecast_from_ = steps_here_;
    auto answer = forecast::forecast(run_.series(length_));
    auto* found = std::get_if<forecast::Forecast>(&answer);
    forecast_ = found == nullptr ? std::nullopt : std::optional(std::move(*found));
  }
  if (!forecast_) {
    return std::nullopt;
  }
  const double now_s = clock_.now_s();
  const auto total_s =
      forecast::shifted_if_overdue(*forecast_, run_.last_seen(length_), now_s).total_s;
  const auto left_s = [&](double end_s) { return std::max(0.0, end_s - now_s); };
  return Left{.expected_s = left_s(total_s.value),
              .low_s = left_s(total_s.interval_80.low),
              .high_s = left_s(total_s.interval_80.high)};
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
