// The output of any training program, as it was written to a file: its epochs, steps and metrics by
// the progress formats that epochcast-run reads too (src/measure/progress/formats). Times are those
// of the stamps in its lines; without stamps, durations that the program states.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analysis/import/imported_rows.hpp"
#include "analysis/import/importer.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/lines/stated_values.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/recognizer/whole_log.hpp"
#include "src/record/outcome.hpp"

namespace epochcast::analysis::importers {
namespace log_importer {

using progress::TimesFrom;

void set_outcome(record::Record& record, const progress::Position& position) {
  auto& header = record.header;
  if (!position.epochs) {
    return;  // the source does not state how the run ended
  }
  record.parameters.push_back(parameter_row("epochs", std::to_string(*position.epochs)));
  const bool whole = position.epochs_done >= *position.epochs;
  record::set_outcome(header, whole ? run::Outcome::complete : run::Outcome::lost);
  header.outcome_text = whole ? "all epochs are in the log"
                              : fmt::format("the log ends after {} of {} epochs",
                                            position.epochs_done, *position.epochs);
}

/// Leaves out what has no duration: a rate or a forecast cannot be made from it. Returns what to
/// say about the epochs.
std::string leave_out_untimed(record::Record& record, TimesFrom times) {
  std::erase_if(record.iterations, [](const auto& step) { return !(step.step_s > 0); });
  const auto untimed =
      std::erase_if(record.epochs, [](const auto& epoch) { return !(epoch.wall_s > 0); });
  if (untimed > record.epochs.size() && times == TimesFrom::stamps) {
    record.epochs.clear();
    return "the stamps of the log do not show how long most epochs took, so no times are read";
  }
  return untimed > 0 && !record.epochs.empty()
             ? counted(untimed, "epoch") + " whose duration the log's times do not show, left out"
             : "";
}

/// A line that may have a stamp in a form that is not known.
std::string unread_stamp(std::string_view text) {
  std::size_t lines = 0;
  std::string_view first;
  while (!text.empty()) {
    const auto line = progress::take_line(text);
    if (line.find('|') == std::string_view::npos && progress::looks_stamped(line)) {
      first = ++lines == 1 ? line : first;
    }
  }
  return lines >= 3 ? progress::excerpt(first) : "";
}

/// The stated time of the whole run.
void state_total(record::Record& record, std::optional<double> total_s) {
  if (total_s) {
    record.spans.push_back({.name = forecast::total_span, .epoch = -1, .duration_s = *total_s});
  }
}

/// What has no duration is left out before.
bool is_timed(const record::Record& record) {
  return !record.epochs.empty() || !record.iterations.empty();
}

std::string note_of(TimesFrom times, std::string_view text, const record::Record& record) {
  if (times == TimesFrom::stamps) {
    return "times are the stamps in the log";
  }
  if (is_timed(record)) {
    return "times are durations that the program states";
  }
  if (forecast::stated_total_s(record)) {
    return "the log states how long the whole run took, but not how long its epochs took";
  }
  const auto stamp = unread_stamp(text);
  return stamp.empty()
             ? "the log has no times in a known form: neither stamps nor durations of epochs"
             : "lines seem to have time stamps, but of no known form: '" + stamp + "'";
}

/// Epochs that the log passes over, in words; empty: none.
std::vector<std::string> notes_on_gaps(const std::string& run, const record::Record& record) {
  std::vector<ImportedRow> rows;
  for (const auto& epoch : record.epochs) {
    rows.push_back({.run = run, .epoch = static_cast<double>(epoch.epoch), .iteration = {}});
  }
  auto notes = notes_on_numbers(rows, RowOrder::as_it_came);
  for (auto& note : notes) {
    note += " (the first epoch is 0)";
  }
  return notes;
}

/// Times count from the log's first stamp; a step may have begun before it.
void begin_at_zero(record::Record& record) {
  double first_s = 0;
  for (const auto& step : record.iterations) {
    first_s = std::min(first_s, step.start_s);
  }
  const auto shift = [&](auto& rows) {
    for (auto& row : rows) {
      row.start_s -= first_s;
    }
  };
  shift(record.iterations);
  shift(record.epochs);
  shift(record.spans);
}

/// What the text says about the whole run, in the record's note and tables.
void state_length(record::Record& record, const progress::Position& position) {
  if (position.steps && *position.steps > 0) {
    record.work.push_back({.iterations_per_epoch = *position.steps});
  }
}

Imported read(const std::string& file, const ImportOptions& options) {
  const auto text = read_text_or_gzip(file);
  auto found = progress::read_whole_log(
      text,
      {.format = options.progress.empty() ? "auto" : options.progress, .pattern = options.pattern});
  Imported imported;
  if (found.empty()) {
    imported.remarks.push_back(
        fmt::format("{}: {}", file, found.note.empty() ? "no whole epoch in it" : found.note));
    return imported;
  }
  const auto run = std::filesystem::path(file).stem().string();
  auto record = new_record(run, {"log", file, options.allocation, options.gpu});
  record.epochs = std::move(found.rows.epochs);
  record.iterations = std::move(found.rows.iterations);
  record.metrics = std::move(found.rows.metrics);
  record.spans = std::move(found.rows.spans);
  begin_at_zero(record);
  state_total(record, found.rows.total_s);
  record.header.progress_source = std::move(found.source);
  for (const auto& gap : notes_on_gaps(run, record)) {
    imported.remarks.push_back(fmt::format("{}: {}", file, gap));
  }
  for (auto& parameter : progress::stated_values(text)) {
    record.parameters.push_back(std::move(parameter));
  }
  set_outcome(record, found.position);
  state_length(record, found.position);
  if (const auto remark = leave_out_untimed(record, found.times); !remark.empty()) {
    imported.remarks.push_back(fmt::format("{}: {}", file, remark));
  }
  auto note = note_of(found.times, text, record);
  if (!is_timed(record) && found.times != TimesFrom::stamps) {
    imported.remarks.push_back(fmt::format("{}: {}", file, note));
  }
  if (found.lost_s > 0) {
    note +=
        fmt::format("; {} between attempts is left out", format_duration(std::round(found.lost_s)));
  }
  if (!found.note.empty()) {
    note += "; " + found.note;
    imported.remarks.push_back(fmt::format("{}: {}", file, found.note));
  }
  record.header.note = note;
  imported.records.push_back(std::move(record));
  return imported;
}

}  // namespace log_importer

ImporterSpec log() {
  return {.summary = "the output of any training program, by its progress bars and lines",
          .read = log_importer::read};
}

}  // namespace epochcast::analysis::importers
