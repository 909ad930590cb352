// The stdout of the lab's own program, whole or cut off anywhere: what is there becomes a record,
// what cannot be read is named. Durations are the log's own seconds (to 0.1 s), never differences
// of its wall stamps.
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <filesystem>

#include "analysis/import/importer.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/base/core/version.hpp"
#include "src/measure/progress/reading/lab_log_line.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::importers {
namespace lab_log_importer {

namespace lab_log = progress::lab_log;
using namespace progress::lab_log;

/// Builds one record from the lines of one run.
class Run {
 public:
  void operator()(const lab_log::DeviceLine& line) { device_ = line.device; }
  void operator()(const lab_log::EpochLine& line) {
    end_epoch();
    epoch_ = line.epoch - 1;
  }
  void operator()(const lab_log::BatchLine& line) {
    if (line.epoch - 1 != epoch_) {
      end_epoch();
      epoch_ = line.epoch - 1;
    }
    index_ = line.index;
  }
  void operator()(const lab_log::Progress& line) {
    const double before_s = last_ ? last_->seconds : 0;
    const double before = last_ ? last_->examples : 0;
    record_.iterations.push_back({.epoch = epoch_,
                                  .index = index_,
                                  .start_s = elapsed_s_ + before_s,
                                  .step_s = line.seconds - before_s,
                                  .samples = std::llround(line.examples - before)});
    last_ = line;
    if (device_.empty()) {
      device_ = line.device;
    }
    ++index_;
  }
  void operator()(const lab_log::MeanLine&) { end_epoch(); }
  void operator()(const lab_log::CountLine& line) {
    end_epoch();
    epochs_ = line.epochs;
  }
  void operator()(const lab_log::TotalLine& line) {
    end_epoch();
    total_s_ = line.seconds;
  }
  void operator()(const lab_log::StampLine& line) {
    (line.which == "Started at" ? started_ : ended_) = line.stamp;
  }
  void operator()(const lab_log::IgnoredLine&) {}

  /// Whether a line `Device:` now begins another run.
  bool begun() const { return !device_.empty() || !record_.iterations.empty(); }

  record::Record finish(const std::string& file, const ImportOptions& options);

 private:
  void end_epoch();
  void set_header(const std::string& file, const ImportOptions& options);
  void set_parameters();
  std::string stamps_note() const;

  record::Record record_;
  std::string device_;
  std::string started_;
  std::string ended_;
  std::optional<lab_log::Progress> last_;  ///< Of the epoch that is open.
  std::int64_t epoch_ = 0;
  std::int64_t index_ = 0;
  /// Epochs before the open one; the time of their pictures is not in the log.
  double elapsed_s_ = 0;
  std::optional<std::int64_t> epochs_;
  std::optional<double> total_s_;
};

void Run::end_epoch() {
  if (!last_) {
    return;
  }
  record_.epochs.push_back({.epoch = epoch_,
                            .start_s = elapsed_s_,
                            .wall_s = last_->seconds,
                            .samples = std::llround(last_->examples),
                            .iterations = index_});
  record_.metrics.push_back({epoch_, "loss_d", last_->loss_d});
  record_.metrics.push_back({epoch_, "loss_g", last_->loss_g});
  record_.metrics.push_back({epoch_, "examples_per_s", last_->examples_per_s});
  elapsed_s_ += last_->seconds;
  last_.reset();
  index_ = 0;
}

/// Seconds between two stamps as if every day had 24 hours.
std::optional<double> seconds_between(const std::string& from, const std::string& to) {
  std::tm start{};
  std::tm end{};
  constexpr const char* format = "%a, %d %b %Y %H:%M:%S local";
  if (strptime(from.c_str(), format, &start) == nullptr ||
      strptime(to.c_str(), format, &end) == nullptr) {
    return std::nullopt;
  }
  return std::difftime(timegm(&end), timegm(&start));
}

std::string Run::stamps_note() const {
  if (started_.empty() && ended_.empty()) {
    return "";
  }
  auto note = fmt::format("the log's stamps: {} to {}", started_, ended_);
  const auto between_s = seconds_between(started_, ended_);
  if (between_s && total_s_ && std::abs(*between_s - *total_s_) > 60) {
    note += fmt::format(", {:.0f} s apart although the run took {:.1f} s (daylight time?)",
                        *between_s, *total_s_);
  }
  return note;
}

void Run::set_header(const std::string& file, const ImportOptions& options) {
  auto& header = record_.header;
  const auto stem = std::filesystem::path(file).stem().string();
  header.tool_version = tool_version;
  header.tool_revision = tool_revision;
  header.source = "imported:lab_log";
  header.experiment = "lab";
  header.allocation = options.allocation.empty() ? stem : options.allocation;
  header.point = fmt::format("lab.{}.{}", header.allocation.view(),
                             epochs_ ? fmt::format("e{}", *epochs_) : "cut");
  header.job_id = stem;
  header.note = stamps_note();
  header.outcome = to_text(total_s_ ? run::Outcome::complete : run::Outcome::lost);
  if (!total_s_) {
    header.outcome_text =
        fmt::format("the log ends in epoch {} after {} batches", epoch_ + 1, index_);
  }
}

void Run::set_parameters() {
  for (const auto& [name, value] :
       {std::pair{"model", "dcgan"}, {"dataset", "images"}, {"procedure", "reference"}}) {
    record_.parameters.push_back(parameter_row(name, value));
  }
  if (!device_.empty()) {
    record_.parameters.push_back(
        parameter_row("device", device_.starts_with("cuda") ? "cuda" : device_));
  }
  if (!record_.iterations.empty() && record_.iterations.front().index == 0) {
    record_.parameters.push_back(
        parameter_row("batch", std::to_string(record_.iterations.front().samples)));
  }
  if (epochs_) {
    record_.parameters.push_back(parameter_row("epochs", std::to_string(*epochs_)));
  }
}

record::Record Run::finish(const std::string& file, const ImportOptions& options) {
  if (total_s_ && !epochs_) {
    epochs_ = std::ssize(record_.epochs);
  }
  set_header(file, options);
  set_parameters();
  const bool may_be_gpu = device_.empty() || device_.starts_with("cuda");
  record_.machines.emplace_back().gpu_name = may_be_gpu ? options.gpu : "";
  if (total_s_) {
    record_.spans.push_back({.name = forecast::total_span, .epoch = -1, .duration_s = *total_s_});
  }
  if (!record_.epochs.empty()) {
    const auto& epoch = record_.epochs.front();
    auto& work = record_.work.emplace_back();
    work.samples_per_epoch = epoch.samples;
    work.iterations_per_epoch = epoch.iterations;
  }
  return std::move(record_);
}

Imported read(const std::string& file, const ImportOptions& options) {
  Imported imported;
  const auto text = read_file(file);
  const auto lines = split(text, '\n');
  const bool ends_whole = text.ends_with('\n');
  std::optional<Run> run;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = lab_log::parse(lines[i], i + 1 < lines.size() || ends_whole);
    if (!line) {
      imported.remarks.push_back(
          fmt::format("{}:{}: not understood: '{:.60}'", file, i + 1, lines[i]));
      continue;
    }
    if (std::holds_alternative<lab_log::DeviceLine>(*line) && run && run->begun()) {
      imported.records.push_back(run->finish(file, options));
      run.reset();
    }
    if (!run && !std::holds_alternative<lab_log::IgnoredLine>(*line)) {
      run.emplace();
    }
    if (run) {
      std::visit(*run, *line);
    }
  }
  if (run) {
    imported.records.push_back(run->finish(file, options));
  }
  return imported;
}

}  // namespace lab_log_importer

ImporterSpec lab_log() {
  return {.summary = "stdout of the lab's own program, complete or truncated",
          .read = lab_log_importer::read};
}

}  // namespace epochcast::analysis::importers
