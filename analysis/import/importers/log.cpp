// The output of any training program, as it was written to a file: its epochs, steps and metrics by
// the progress formats that epochcast-run reads too (src/measure/progress/formats). Times are those
// of the stamps in its lines; without stamps, durations that the program states. A pattern's group
// `run` makes a record of each run in the file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "analysis/import/imported_rows.hpp"
#include "analysis/import/importer.hpp"
#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/measure/progress/lines/line_splitter.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/lines/stated_values.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/recognizer/log_text.hpp"
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

/// The text of one run, and what messages about it begin with.
struct RunLog {
  std::string run;
  std::string text;
  std::string place;
};

/// The lines of each run that the pattern's group `run` names. A line that names none is of the
/// next line's run, which may begin with it; at the end, of the last one's.
std::map<std::string, std::string> lines_by_run(std::string_view text,
                                                const RegularExpression& pattern) {
  std::map<std::string, std::string> runs;
  std::string run;
  std::string waiting;
  progress::LineSplitter splitter;
  const auto take = [&](const progress::Line& line) {
    waiting.append(line.text).append("\n");
    const auto match = pattern.find(line.text);
    if (const auto name = match ? match->text("run") : ""; !name.empty()) {
      run = name;
      runs[run] += std::exchange(waiting, {});
    }
  };
  splitter.read(text, 0, take);
  splitter.finish(take);
  if (!runs.empty()) {
    runs[run] += waiting;
  }
  return runs;
}

std::vector<RunLog> logs_of(std::string text, const std::string& file, const std::string& pattern) {
  std::vector<RunLog> logs;
  if (const RegularExpression expression(pattern); expression.has("run")) {
    for (auto& [run, lines] : lines_by_run(text, expression)) {
      logs.push_back({run, std::move(lines), fmt::format("{}: run '{}'", file, run)});
    }
  }
  if (logs.empty()) {
    logs.push_back({std::filesystem::path(file).stem(), std::move(text), file});
  }
  return logs;
}

/// Why a log has no epochs and no steps.
std::string why_empty(const std::string& text, const std::string& pattern,
                      const std::string& note) {
  constexpr std::size_t shown = 3;
  const RegularExpression expression(pattern);
  bool matches = pattern.empty();
  std::vector<std::string> first;
  progress::LineSplitter splitter;
  const auto take = [&](const progress::Line& line) {
    matches = matches || expression.find(line.text);
    if (!matches && first.size() < shown) {
      first.push_back("'" + progress::excerpt(line.text) + "'");
    }
  };
  splitter.read(text, 0, take);
  splitter.finish(take);
  if (!matches && !first.empty()) {
    return "no line matches --pattern; the first: " + join(first, ", ");
  }
  return note.empty() ? "no whole epoch in it" : note;
}

void read_run(const RunLog& log, const std::string& file, const ImportOptions& options,
              Imported& imported) {
  auto found = progress::read_whole_log(
      log.text,
      {.format = options.progress.empty() ? "auto" : options.progress, .pattern = options.pattern});
  const auto remark = [&](const std::string& text) {
    imported.remarks.push_back(fmt::format("{}: {}", log.place, text));
  };
  if (found.empty()) {
    remark(why_empty(log.text, options.pattern, found.note));
    return;
  }
  auto record = new_record(log.run, {"log", file, options.allocation, options.gpu});
  record.epochs = std::move(found.rows.epochs);
  record.iterations = std::move(found.rows.iterations);
  record.metrics = std::move(found.rows.metrics);
  record.spans = std::move(found.rows.spans);
  begin_at_zero(record);
  state_total(record, found.rows.total_s);
  record.header.progress_source = std::move(found.source);
  for (const auto& gap : notes_on_gaps(log.run, record)) {
    imported.remarks.push_back(fmt::format("{}: {}", file, gap));
  }
  for (auto& parameter : progress::stated_values(log.text)) {
    record.parameters.push_back(std::move(parameter));
  }
  set_outcome(record, found.position);
  state_length(record, found.position);
  if (const auto untimed = leave_out_untimed(record, found.times); !untimed.empty()) {
    remark(untimed);
  }
  auto note = note_of(found.times, log.text, record);
  if (!is_timed(record) && found.times != TimesFrom::stamps && found.note.empty()) {
    remark(note);
  }
  if (found.lost_s > 0) {
    note +=
        fmt::format("; {} between attempts is left out", format_duration(std::round(found.lost_s)));
  }
  if (!found.note.empty()) {
    note += "; " + found.note;
    remark(found.note);
  }
  record.header.note = note;
  imported.records.push_back(std::move(record));
}

Imported read(const std::string& file, const ImportOptions& options) {
  Imported imported;
  auto whole = progress::read_log_text(file, options.progress.empty() ? "auto" : options.progress,
                                       options.pattern);
  imported.notes = std::move(whole.notes);
  for (const auto& log : logs_of(std::move(whole.text), file, options.pattern)) {
    read_run(log, file, options, imported);
  }
  return imported;
}

}  // namespace log_importer

ImporterSpec log() {
  return {.summary = "the output of any training program, by its progress bars and lines",
          .read = log_importer::read};
}

}  // namespace epochcast::analysis::importers
