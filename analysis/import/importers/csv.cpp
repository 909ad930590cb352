// CSV of durations, a line an epoch or an iteration: run, epoch and/or iteration, duration_s, and
// samples where they are known. Columns go by name; numbers in other columns become metrics.
#include "src/base/core/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "analysis/import/imported_rows.hpp"
#include "analysis/import/importer.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/spreadsheet.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::importers {
namespace csv_importer {

class Columns {
 public:
  Columns(const std::string& file, CsvRow names) : file_(file), names_(std::move(names)) {
    for (auto& name : names_) {
      name = trim(name);
    }
    require("run");
    require("duration_s");
    if (!find("epoch") && !find("iteration")) {
      require("epoch");
    }
  }

  std::size_t count() const { return names_.size(); }

  ImportedRow row_of(const CsvRow& cells) const {
    if (cells.size() != names_.size()) {
      throw Error(fmt::format("found {} cells, expected {}", cells.size(), names_.size()));
    }
    ImportedRow row{.run = from_spreadsheet(cells[*find("run")]),
                    .epoch = number(cells, "epoch"),
                    .iteration = number(cells, "iteration"),
                    .duration_s = duration_s(cells[*find("duration_s")]),
                    .samples = number(cells, "samples").value_or(0)};
    if (!row.epoch && !row.iteration) {
      throw Error("found neither epoch nor iteration");
    }
    row.metrics = metrics(cells);
    return row;
  }

 private:
  /// Numbers of the columns that have no meaning of their own.
  std::map<std::string, double> metrics(const CsvRow& cells) const {
    static const std::set<std::string> known{"run", "epoch", "iteration", "duration_s", "samples"};
    std::map<std::string, double> metrics;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto value = parse_double(trim(cells[i]));
      if (value && std::isfinite(*value) && !names_[i].empty() && !known.contains(names_[i])) {
        metrics[names_[i]] = *value;
      }
    }
    return metrics;
  }

  static double duration_s(const std::string& cell) {
    return plausible_duration_s(positive_number(cell, "duration_s"), cell);
  }

  std::optional<std::size_t> find(const std::string& name) const {
    return find_column(names_, name);
  }

  void require(const std::string& name) const {
    if (!find(name)) {
      throw Error(file_, 1,
                  fmt::format("found no column '{}', expected "
                              "run,epoch|iteration,duration_s[,samples]{}",
                              name, did_you_mean(name, names_)));
    }
  }

  /// An empty cell is a number not known.
  std::optional<double> number(const CsvRow& cells, const std::string& name) const {
    const auto at = find(name);
    return at && !trim(cells[*at]).empty() ? std::optional(counted_number(cells[*at], name))
                                           : std::nullopt;
  }

  std::string file_;
  CsvRow names_;
};

/// Cells of the text of one row.
CsvRow cells_of(std::string line) {
  if (line.ends_with('\r')) {
    line.pop_back();
  }
  auto rows = parse_csv(line);
  return rows.empty() ? CsvRow{} : std::move(rows.front());
}

/// The cells of the row that begins at line `at`, which moves to its last line: a quoted cell may
/// span several, but a quote that stays open breaks one line only.
CsvRow cells_of(const std::vector<std::string>& lines, std::size_t& at) {
  constexpr std::size_t most_lines = 20;
  auto text = lines[at];
  for (auto last = at;; ++last) {
    try {
      auto cells = cells_of(text);
      at = last;
      return cells;
    } catch (const Error&) {
      if (last + 1 == lines.size() || last - at == most_lines) {
        throw;
      }
      text += '\n' + lines[last + 1];
    }
  }
}

/// A header that cannot be read leaves nothing to go by.
Columns columns_of(const std::string& file, const std::string& header) {
  CsvRow names;
  try {
    names = cells_of(header);
  } catch (const Error& error) {
    throw Error(file, 1, error.what());
  }
  return {file, std::move(names)};
}

Imported read(const std::string& file, const ImportOptions& options) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  auto text = read_text_or_gzip(file, most_text_mib);
  if (text.starts_with(byte_order_mark)) {
    text.erase(0, byte_order_mark.size());
  }
  const auto lines = split(text, '\n');
  if (lines.empty()) {
    throw Error(file + ": is empty, expected a header line");
  }
  const auto columns = columns_of(file, lines[0]);
  Imported imported;
  std::vector<ImportedRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (trim(lines[i]).empty()) {
      continue;
    }
    const auto first = i;
    try {
      rows.push_back(columns.row_of(cells_of(lines, i)));
    } catch (const Error& error) {
      i = first;
      imported.remarks.push_back(fmt::format("{}:{}: {}", file, i + 1, error.what()));
    }
  }
  imported.notes = notes_on_numbers(rows);
  imported.records = records_of(std::move(rows), {"csv", file, options.allocation, options.gpu});
  return imported;
}

}  // namespace csv_importer

ImporterSpec csv() {
  return {.summary = "a CSV file: run,epoch|iteration,duration_s[,samples][,METRIC...]",
          .read = csv_importer::read};
}

}  // namespace epochcast::analysis::importers
