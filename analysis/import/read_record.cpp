#include "analysis/import/read_record.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "src/base/core/text.hpp"
#include "src/measure/progress/recognizer.hpp"
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

}  // namespace epochcast::analysis
