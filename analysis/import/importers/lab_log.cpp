// The stdout of the lab's own program, whole or cut off anywhere: what is there becomes a record,
// what cannot be read is named. Its epochs and batches are read by the progress format lab_log.
// Durations are the log's own seconds (to 0.1 s), never differences of its wall stamps.
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <map>

#include "analysis/import/importer.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/base/core/version.hpp"
#include "src/measure/progress/reading/lab_log_line.hpp"
#include "src/measure/progress/recognizer/recognizer.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::importers {
namespace lab_log_importer {

using namespace progress::lab_log;

/// Builds one record from the lines of one run: its rows are those of the progress format, the rest
/// stands in lines that say nothing about progress.
class Run {
 public:
  void read(std::string_view text, const Line& line) {
    rows_.read(progress::Stream::out, std::string(text) + "\n", 0);
    std::visit(*this, line);
  }
  void operator()(const DeviceLine& line) { device_ = line.device; }
  void operator()(const Progress& line) { device_ = device_.empty() ? line.device : device_; }
  void operator()(const CountLine& line) { epochs_ = line.epochs; }
  void operator()(const TotalLine& line) { total_s_ = line.seconds; }
  void operator()(const StampLine& line) {
    (line.which == "Started at" ? started_ : ended_) = line.stamp;
  }
  void operator()(const auto& /*line*/) {}

  /// Whether a line `Device:` now begins another run.
  bool begun() const { return !device_.empty(); }

  record::Record finish(const std::string& file, const ImportOptions& options);

 private:
  void take_rows();
  void set_header(const std::string& file, const ImportOptions& options);
  void set_parameters();
  std::string stamps_note() const;

  progress::Recognizer rows_{
      {.format = "lab_log", .meaning = {.times_from = progress::TimesFrom::nothing}}};
  record::Record record_;
  std::string device_;
  std::string started_;
  std::string ended_;
  std::optional<std::int64_t> epochs_;
  std::optional<double> total_s_;
};

/// A print that is missing makes the next one's row longer: the reader has the mean of the steps
/// since the print before, and the samples of all.
void Run::take_rows() {
  rows_.finish(0);
  auto rows = rows_.take();
  record_.iterations = std::move(rows.iterations);
  record_.epochs = std::move(rows.epochs);
  record_.metrics = std::move(rows.metrics);
  std::map<std::int64_t, std::int64_t> samples;
  const record::Iteration* before = nullptr;
  for (auto& step : record_.iterations) {
    const bool same = before != nullptr && before->epoch == step.epoch;
    const auto steps = static_cast<double>(step.index - (same ? before->index : -1));
    step.start_s -= step.step_s * (steps - 1);
    step.step_s *= steps;
    samples[step.epoch] += step.samples;
    before = &step;
  }
  for (auto& epoch : record_.epochs) {
    epoch.samples = samples[epoch.epoch];
  }
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
    const auto position = rows_.position();
    header.outcome_text = fmt::format("the log ends in epoch {} after {} batches",
                                      position.epoch.value_or(0) + 1, position.step.value_or(0));
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
  take_rows();
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
    const auto line = parse(lines[i], i + 1 < lines.size() || ends_whole);
    if (!line) {
      imported.remarks.push_back(
          fmt::format("{}:{}: not understood: '{:.60}'", file, i + 1, lines[i]));
      continue;
    }
    if (std::holds_alternative<DeviceLine>(*line) && run && run->begun()) {
      imported.records.push_back(run->finish(file, options));
      run.reset();
    }
    if (!run && !std::holds_alternative<IgnoredLine>(*line)) {
      run.emplace();
    }
    if (run) {
      run->read(lines[i], *line);
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
