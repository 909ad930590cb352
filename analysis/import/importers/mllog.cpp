// Logs of MLPerf trainings, as the public results repositories hold them. Each file becomes a
// record: its epochs as the progress format mllog reads them, else its blocks (mllog_blocks.hpp),
// and what came before and after them as spans. Where the file lies
// (SUBMITTER/results/SYSTEM/BENCHMARK/RUN) is kept as parameters; `export epochs` needs it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/import/importer.hpp"
#include "analysis/import/mllog_blocks.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/text.hpp"
#include "src/base/core/version.hpp"
#include "src/forecast/run/run_length.hpp"
#include "src/measure/progress/lines/stated_values.hpp"
#include "src/measure/progress/reading/mllog_events.hpp"
#include "src/measure/progress/recognizer/whole_log.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::importers {
namespace mllog_importer {

namespace mllog = progress::mllog;
using namespace progress::mllog;

using Place = std::vector<std::pair<std::string, std::string>>;

/// Results of HPC trainings have a folder more, for the kind of scaling.
bool is_scaling(const std::string& folder) {
  return folder == "weak" || folder == "strong";
}

/// From the path, else from the log itself.
Place place_of(const std::string& file, const std::vector<mllog::Event>& events) {
  const auto absolute = std::filesystem::absolute(file).lexically_normal();
  const std::vector<std::string> parts(absolute.begin(), absolute.end());
  for (std::size_t i = parts.size(); i-- > 2;) {
    if (parts[i] == "results" && i + 3 < parts.size()) {
      const std::vector<std::string> path(parts.begin() + static_cast<std::ptrdiff_t>(i) - 1,
                                          parts.end());
      const bool scaled = is_scaling(parts[i + 2]) && i + 4 < parts.size();
      Place place{{"repo", parts[i - 2]},
                  {"path", join(path, "/")},
                  {"submitter", parts[i - 1]},
                  {"system", parts[i + 1]},
                  {"benchmark", parts[i + (scaled ? 3 : 2)]},
                  {"run", parts.back()}};
      if (scaled) {
        place.emplace_back("scaling", parts[i + 2]);
      }
      return place;
    }
  }
  const auto said = [&](const char* key) {
    const auto value = mllog::last_value(events, key);
    return value.empty() ? "unknown" : value;
  };
  return {{"repo", absolute.parent_path().filename().string()},
          {"path", absolute.filename().string()},
          {"submitter", said("submission_org")},
          {"system", said("submission_platform")},
          {"benchmark", said("submission_benchmark")},
          {"run", absolute.filename().string()}};
}

std::vector<double> times_of(const std::vector<record::Epoch>& epochs) {
  std::vector<double> times_s;
  for (const auto& epoch : epochs) {
    times_s.push_back(epoch.wall_s);
  }
  return times_s;
}

class Run {
 public:
  Run(const std::string& file, progress::WholeLog log, const std::vector<mllog::Event>& events,
      const std::string& gpu)
      : events_(events), origin_ms_(events.front().time_ms) {
    set_header(file);
    record_.machines.emplace_back().gpu_name = gpu;
    set_parameters(place_of(file, events));
    add_epochs(std::move(log), mllog::pair_up(events, "epoch"));
    const auto blocks = mllog::pair_up(events, "block");
    if (record_.epochs.empty() && !blocks.closed.empty()) {
      add_mllog_blocks(events, blocks, record_);
    }
    add_spans(blocks, "block");
    add_spans(mllog::pair_up(events, "init"), "init");
    add_total();
  }

  record::Record record() && { return std::move(record_); }

 private:
  double since_start_s(std::int64_t time_ms) const {
    return static_cast<double>(time_ms - origin_ms_) / 1000;
  }

  void set_header(const std::string& file) {
    auto& header = record_.header;
    header.tool_version = tool_version;
    header.tool_revision = tool_revision;
    header.source = "imported:mllog";
    header.experiment = "mllog";
    header.job_id = fmt::format("{:016x}", fnv1a(std::filesystem::absolute(file).string()));
  }

  void parameter(const std::string& name, const std::string& value) {
    record_.parameters.push_back(parameter_row(name, value));
  }

  void set_parameters(const Place& place) {
    for (const auto& [name, value] : place) {
      parameter(name, value);
    }
    const auto stem = std::filesystem::path(place[5].second).stem().string();
    record_.header.allocation = place[3].second;
    record_.header.point =
        fmt::format("{}.{}.{}.{}", file_word(place[4].second), file_word(place[2].second),
                    file_word(place[3].second), file_word(stem));
    if (place.size() > 6) {
      record_.header.point = fmt::format("{}.{}", record_.header.point.view(), place[6].second);
    }
    for (const auto& [name, key] : {std::pair{"batch", "global_batch_size"},
                                    {"seed", "seed"},
                                    {"max_steps", "max_steps"},
                                    {"sequence_length", "max_sequence_length"}}) {
      if (const auto value = parse_integer(mllog::last_value(events_, key))) {
        parameter(name, std::to_string(*value));
      }
    }
    parameter("origin_ms", std::to_string(origin_ms_));
    auto& work = record_.work.emplace_back();
    work.samples_per_epoch = parse_integer(mllog::last_value(events_, "train_samples")).value_or(0);
  }

  /// The log does not state how many samples an epoch had: some submitters' "epochs" are blocks of
  /// unequal length.
  void add_epochs(progress::WholeLog log, const mllog::Intervals& epochs) {
    std::erase_if(log.rows.epochs, [](const auto& epoch) { return !(epoch.wall_s > 0); });
    record_.epochs = std::move(log.rows.epochs);
    record_.metrics = std::move(log.rows.metrics);
    record_.spans = std::move(log.rows.spans);
    for (auto& epoch : record_.epochs) {
      epoch.start_s += log.begin_s;
    }
    for (auto& span : record_.spans) {
      span.start_s += log.begin_s;
    }
    parameter("epoch_events", std::to_string(epochs.events));
    std::vector<std::string> notes;
    for (const auto& [count, what] : {std::pair{epochs.restarted, "started again while open"},
                                      {epochs.unclosed, "without an end"},
                                      {epochs.overlapping, "that overlap an earlier one"}}) {
      if (count > 0) {
        notes.push_back(fmt::format("{} epoch{} {}", count, count == 1 ? "" : "s", what));
      }
    }
    if (forecast::ends_within_last(times_of(record_.epochs))) {
      notes.push_back(fmt::format("the run stopped within its last epoch, after {:.3g} s",
                                  record_.epochs.back().wall_s));
    }
    record_.header.note = join(notes, "; ");
  }

  void add_spans(const mllog::Intervals& intervals, const char* name) {
    std::int64_t index = 0;
    for (const auto& interval : intervals.closed) {
      record_.spans.push_back({.name = name,
                               .epoch = name == std::string_view("block") ? index : -1,
                               .start_s = since_start_s(interval.start_ms),
                               .duration_s = interval.length_s()});
      if (name == std::string_view("block") && interval.epoch) {
        record_.metrics.push_back({index, "block_number", *interval.epoch});
      }
      ++index;
    }
    if (name == std::string_view("block")) {
      parameter("block_events", std::to_string(intervals.events));
    }
  }

  void add_total() {
    const mllog::Event* start = nullptr;
    const mllog::Event* stop = nullptr;
    for (const auto& event : events_) {
      start = event.key == "run_start" && start == nullptr ? &event : start;
      stop = event.key == "run_stop" ? &event : stop;
    }
    const auto from_ms = start == nullptr ? origin_ms_ : start->time_ms;
    const auto to_ms = stop == nullptr ? events_.back().time_ms : stop->time_ms;
    const auto status = stop == nullptr ? "" : stop->status.empty() ? stop->value : stop->status;
    auto& header = record_.header;
    header.outcome = to_text(stop == nullptr       ? run::Outcome::lost
                             : status == "success" ? run::Outcome::complete
                                                   : run::Outcome::stopped);
    header.outcome_text =
        stop == nullptr ? "the log ends without run_stop" : fmt::format("run_stop: {}", status);
    parameter("status", status.empty() ? "unknown" : status);
    if (stop == nullptr && !record_.epochs.empty()) {
      add_what_follows();
    }
    if (to_ms > from_ms) {  // else one of the two stamps is wrong
      record_.spans.push_back({.name = stop == nullptr ? "cut" : forecast::total_span,
                               .epoch = -1,
                               .start_s = since_start_s(from_ms),
                               .duration_s = static_cast<double>(to_ms - from_ms) / 1000});
    }
  }

  /// What follows the last epoch that has ended, as far as the log shows it.
  void add_what_follows() {
    const auto& last = record_.epochs.back();
    const double from_s = last.start_s + length_s(record_, last);
    double until_s = since_start_s(events_.back().time_ms);
    for (const auto& event : events_) {
      const double at_s = since_start_s(event.time_ms);
      if (event.key == "epoch_start" && at_s >= from_s) {
        until_s = at_s;
        break;
      }
    }
    if (until_s > from_s) {
      record_.spans.push_back({.name = forecast::after_last_span,
                               .epoch = last.epoch,
                               .start_s = from_s,
                               .duration_s = until_s - from_s});
    }
  }

  const std::vector<mllog::Event>& events_;
  std::int64_t origin_ms_;
  record::Record record_;
};

Imported read(const std::string& file, const ImportOptions& options) {
  const auto text = read_text_or_gzip(file, most_text_mib);
  auto [events, remarks] = mllog::read_events(file, text);
  Imported imported{{}, std::move(remarks)};
  if (!events.empty()) {
    auto record =
        Run(file, progress::read_whole_log(text, {.format = "mllog"}), events, options.gpu)
            .record();
    for (auto& parameter : progress::stated_values(text)) {
      record.parameters.push_back(std::move(parameter));
    }
    imported.records.push_back(std::move(record));
  }
  return imported;
}

}  // namespace mllog_importer

ImporterSpec mllog() {
  return {.summary = "logs of MLPerf trainings: ':::MLLOG {...}' anywhere in a line",
          .read = mllog_importer::read};
}

}  // namespace epochcast::analysis::importers
