#include "analysis/import/read_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/recognizer/recognizer.hpp"
#include "src/measure/progress/sources/metric_source.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis {
namespace {

/// "runs/mine/" and "runs/mine" are "mine"; "events-7.jsonl" is "events-7".
std::string name_of(const std::string& path) {
  auto place = std::filesystem::path(path).lexically_normal();
  if (!place.has_filename()) {
    place = place.parent_path();
  }
  return std::filesystem::is_directory(path) ? place.filename().string() : place.stem().string();
}

/// The epochs that ended, and the steps, as the program numbered them. What is written of one step
/// together, its metrics for example, is one.
std::vector<ImportedRow> numbers_of(const progress::sources::StoredReadings& stored,
                                    const std::string& run) {
  std::vector<ImportedRow> rows;
  for (const auto& [reading, at_s] : stored.readings) {
    const bool is_step = reading.step && !reading.of_run && !reading.begins_epoch;
    if (!reading.epoch || reading.phase == progress::Phase::evaluate ||
        !(reading.ends_epoch || is_step)) {
      continue;
    }
    ImportedRow row{.run = run, .epoch = static_cast<double>(*reading.epoch), .iteration = {}};
    if (!reading.ends_epoch) {
      row.iteration = static_cast<double>(*reading.step);
    }
    const bool is_same = !rows.empty() && row.iteration && rows.back().epoch == row.epoch &&
                         rows.back().iteration == row.iteration;
    if (!is_same) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// The files and folders below a folder that are runs, by name; no run is looked for inside a run.
/// `closed` gets a line for each folder that cannot be searched.
std::vector<std::string> runs_below(const std::string& folder, const IsRun& is_run,
                                    std::vector<std::string>& closed) {
  constexpr int deepest = 4;
  constexpr int most_entries = 1'000'000;
  std::vector<std::string> runs;
  const auto take = [&](const std::filesystem::directory_entry& entry, int depth) {
    const bool found = is_run(entry);
    if (found) {
      runs.push_back(entry.path().string());
    }
    return !found && depth <= deepest;
  };
  const auto pass = [&](const std::filesystem::path& path, const std::string& why) {
    closed.push_back(fmt::format("{}: {}", path.string(), why));
  };
  walk(folder, {.take = take, .pass = pass, .most_entries = most_entries});
  std::ranges::sort(runs);
  return runs;
}

std::string time_text(const std::optional<double>& since_1970_s) {
  constexpr double year_9999_s = 253'000'000'000;
  if (!since_1970_s || !(*since_1970_s > 0 && *since_1970_s < year_9999_s)) {
    return "";
  }
  return iso8601(std::chrono::system_clock::time_point(
      std::chrono::seconds(static_cast<std::int64_t>(*since_1970_s))));
}

void add(Imported& all, Imported more) {
  const auto append = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  append(all.records, more.records);
  append(all.remarks, more.remarks);
  append(all.notes, more.notes);
}

void set_outcome(record::Record& record, const progress::Position& position) {
  if (!position.epochs) {
    return;  // the source does not state how the run ended
  }
  record.parameters.push_back(parameter_row("epochs", std::to_string(*position.epochs)));
  const bool whole = position.epochs_done >= *position.epochs;
  record::set_outcome(record.header, whole ? run::Outcome::complete : run::Outcome::lost);
  record.header.outcome_text = whole ? "all epochs are in the file"
                                     : fmt::format("the file ends after {} of {} epochs",
                                                   position.epochs_done, *position.epochs);
}

}  // namespace

Imported record_of(const progress::sources::StoredReadings& stored, const RowSource& source) {
  progress::Recognizer recognizer({.format = "none"});
  for (const auto& [reading, at_s] : stored.readings) {
    recognizer.read(reading, at_s, source.kind);
  }
  recognizer.finish(stored.readings.empty() ? 0 : stored.readings.back().at_s);
  auto rows = recognizer.take();
  const auto run = name_of(source.file);
  Imported imported{.records = {}, .remarks = stored.remarks, .notes = stored.notes};
  const auto of_numbers = notes_on_numbers(numbers_of(stored, run), RowOrder::as_it_came);
  imported.notes.insert(imported.notes.end(), of_numbers.begin(), of_numbers.end());
  if (const auto count =
          std::erase_if(rows.epochs, [](const auto& row) { return row.wall_s <= 0; });
      count > 0) {
    imported.remarks.push_back(
        fmt::format("{}: {} without a duration left out", source.file, counted(count, "epoch")));
  }
  if (rows.epochs.empty() && rows.metrics.empty()) {
    return imported;
  }
  auto record = new_record(run, source);
  record.epochs = std::move(rows.epochs);
  record.iterations = std::move(rows.iterations);
  record.metrics = std::move(rows.metrics);
  record.spans = std::move(rows.spans);
  record.header.progress_source = source.kind;
  record.header.created_at = time_text(stored.began_since_1970_s);
  set_outcome(record, recognizer.position());
  if (record.epochs.empty()) {
    record.header.note = "the file does not show where an epoch ends";
  }
  imported.records.push_back(std::move(record));
  return imported;
}

ImporterSpec importer_of_metrics(std::string kind, std::string summary) {
  return {.summary = std::move(summary),
          .read = [kind = std::move(kind)](const std::string& file, const ImportOptions& options) {
            return record_of(progress::sources::read_metrics(file),
                             {kind, file, options.allocation, options.gpu});
          }};
}

ImporterSpec of_many_runs(ImporterSpec of_one, IsRun is_run) {
  return {.summary = std::move(of_one.summary),
          .read = [read = std::move(of_one.read), is_run = std::move(is_run)](
                      const std::string& path, const ImportOptions& options) {
            Imported all;
            const auto runs = runs_below(path, is_run, all.remarks);
            if (runs.size() < 2 && all.remarks.empty()) {
              return read(runs.empty() ? path : runs.front(), options);
            }
            if (runs.empty()) {
              throw Error(all.remarks.front());
            }
            for (const auto& run : runs) {
              try {
                add(all, read(run, options));
              } catch (const Error& error) {
                all.remarks.emplace_back(error.what());
              }
            }
            return all;
          }};
}

}  // namespace epochcast::analysis
