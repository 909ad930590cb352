// Rebuilds a record from its two copies, the HDF5 file and the JSON lines.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "src/base/core/error.hpp"
#include "src/record/isolated.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/reader.hpp"
#include "src/record/record_file.hpp"
#include "src/record/writer.hpp"

namespace epochcast::record {
namespace {

namespace fs = std::filesystem;

/// Calls `fill` with the opened file in a separate process, so that damage to one part does not
/// affect the others. Returns an empty record if `fill` fails.
template <class Fill>
Record try_part(const std::string& path, Fill&& fill) {
  try {
    IsolatedReader reader([&](const std::string& file, Record& part) {
      fill(h5::File::open(file, h5::File::Mode::read), part);
    });
    return reader.read(path);
  } catch (const Error&) {
    return {};
  }
}

/// The readable parts of the HDF5 file.
Record read_what_is_left(const std::string& path) {
  auto record =
      try_part(path, [](const h5::File& file, Record& part) { part.header = read_header(file); });
  record.modules = try_part(path, [](const h5::File& file, Record& part) {
                     part.modules = file.read_text(modules_name).value_or("");
                   }).modules;
  for_each_table([&](const auto& table) {
    auto part = try_part(path, [&](const h5::File& file, Record& into) {
      into.*table.rows = read_rows(file, table);
    });
    record.*table.rows = std::move(part.*table.rows);
  });
  return record;
}

std::size_t row_count(const Record& record) {
  std::size_t rows = 0;
  for_each_table([&](const auto& table) { rows += (record.*table.rows).size(); });
  return rows;
}

/// How the two copies were combined.
struct Counts {
  std::size_t only_in_lines = 0;
  std::size_t only_in_hdf5 = 0;
  std::size_t disagree = 0;  ///< Rows in both copies that differ.
  std::size_t lost = 0;      ///< Rows with a damaged line that HDF5 does not have.
};

/// The rows of a table in the JSON lines at their original positions; std::nullopt for a damaged
/// line.
template <class Row>
std::vector<std::optional<Row>> rows_at_positions(const std::vector<Row>& rows,
                                                  const std::vector<DamagedLine>& damaged,
                                                  std::string_view table) {
  std::vector<std::optional<Row>> placed(rows.begin(), rows.end());
  for (const auto& line : damaged) {
    if (line.table == table && line.index <= placed.size()) {
      placed.insert(placed.begin() + static_cast<std::ptrdiff_t>(line.index), std::nullopt);
    }
  }
  return placed;
}

/// Returns every row of HDF5 and the rows that only the lines have. If the two copies of a row
/// differ, the line is used if all lines are verified by checksums (HDF5 has none); otherwise the
/// row of HDF5 is used.
template <class Row>
std::vector<Row> combine(const std::vector<Row>& hdf5, const std::vector<std::optional<Row>>& lines,
                         bool lines_are_proved, Counts& counts) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::max(hdf5.size(), lines.size()); ++i) {
    const Row* stored = i < hdf5.size() ? &hdf5[i] : nullptr;
    const Row* line = i < lines.size() && lines[i] ? &*lines[i] : nullptr;
    counts.disagree += stored && line && row_line("", *stored) != row_line("", *line) ? 1 : 0;
    counts.only_in_hdf5 += line == nullptr && stored != nullptr ? 1 : 0;
    counts.only_in_lines += stored == nullptr && line != nullptr ? 1 : 0;
    counts.lost += stored == nullptr && line == nullptr ? 1 : 0;
    if (const Row* taken = line && (lines_are_proved || !stored) ? line : stored) {
      rows.push_back(*taken);
    }
  }
  return rows;
}

/// Completes the record of the JSON lines with the data that HDF5 still has.
Counts add_hdf5(JsonLines& lines, Record left) {
  Counts counts;
  auto& record = lines.record;
  if (!lines.has_header) {
    record.header = left.header;
  }
  if (record.modules.empty()) {
    record.modules = std::move(left.modules);
  }
  const bool positions_are_known = lines.damaged == lines.damaged_rows.size();
  const bool proved = lines.unchecked == 0 && positions_are_known;
  for_each_table([&](const auto& table) {
    const auto placed = rows_at_positions(record.*table.rows, lines.damaged_rows, table.name);
    record.*table.rows = combine(left.*table.rows, placed, proved, counts);
  });
  return counts;
}

}  // namespace

std::string salvaged_path(const std::string& path) {
  return fs::path(path).replace_extension(".salvaged.h5");
}

std::string salvage_record(const std::string& given_path) {
  const auto path = fs::path(given_path).replace_extension(".h5").string();
  const auto lines_path = json_lines_path(path);
  if (!fs::exists(path) && !fs::exists(lines_path)) {
    throw Error(given_path + ": no such file");
  }
  if (fs::exists(path) && verify_record(path).consistent) {
    throw Error(path + ": nothing to salvage, the record is intact");
  }
  auto lines = fs::exists(lines_path) ? read_json_lines(lines_path) : JsonLines{};
  auto& record = lines.record;
  const auto counts = add_hdf5(lines, read_what_is_left(path));
  if (row_count(record) == 0 && !lines.has_header) {
    throw Error(
        fmt::format("{}: nothing can be rebuilt: there are no JSON lines, and the HDF5 file has no "
                    "readable row",
                    path));
  }
  if (outcome_of(record.header) == run::Outcome::running) {
    set_outcome(record.header, run::Outcome::lost, "interrupted; salvaged",
                run::FailureCause::other);
  }
  record.header.note = fmt::format(
      "salvaged from {}: {} rows, {} only in the JSON lines, {} only in HDF5, {} differ; {} "
      "damaged "
      "lines, {} rows lost",
      fs::path(path).filename().string(), row_count(record), counts.only_in_lines,
      counts.only_in_hdf5, counts.disagree, lines.damaged, counts.lost);
  write_record(salvaged_path(path), record);
  return salvaged_path(path);
}

}  // namespace epochcast::record
