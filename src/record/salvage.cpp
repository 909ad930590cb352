// A record rebuilt from two damaged witnesses.
#include <fmt/format.h>

#include <filesystem>

#include "src/core/error.hpp"
#include "src/record/isolated.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/reader.hpp"
#include "src/record/record_file.hpp"
#include "src/record/writer.hpp"

namespace epochcast::record {
namespace {

namespace fs = std::filesystem;

/// Calls `fill` with the opened file, alone in its own process, so that what is damaged beyond
/// reading costs only itself. An empty record where it fails.
template <class Fill>
Record try_part(const std::string& path, Fill&& fill) {
  try {
    return read_isolated(
        [&](Record& part) { fill(h5::File::open(path, h5::File::Mode::read), part); });
  } catch (const Error&) {
    return {};
  }
}

/// What the HDF5 file still gives, part by part.
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

std::size_t rows_of(const Record& record) {
  std::size_t rows = 0;
  for_each_table([&](const auto& table) { rows += (record.*table.rows).size(); });
  return rows;
}

/// Of each table the longer one; the lines where both are the same.
void add_what_lines_lack(Record& record, Record left, bool lines_have_header) {
  if (!lines_have_header) {
    record.header = left.header;
  }
  if (record.modules.empty()) {
    record.modules = std::move(left.modules);
  }
  for_each_table([&](const auto& table) {
    if ((left.*table.rows).size() > (record.*table.rows).size()) {
      record.*table.rows = std::move(left.*table.rows);
    }
  });
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
    throw Error(path + ": nothing to salvage, the record is whole");
  }
  auto lines = fs::exists(lines_path) ? read_json_lines(lines_path) : JsonLines{};
  auto& record = lines.record;
  const auto rows_in_lines = rows_of(record);
  add_what_lines_lack(record, read_what_is_left(path), lines.has_header);
  if (rows_of(record) == 0 && !lines.has_header) {
    throw Error(fmt::format(
        "{}: nothing can be rebuilt: no JSON lines beside it, and HDF5 gives no row", path));
  }
  if (outcome_of(record.header) == run::Outcome::running) {
    set_outcome(record.header, run::Outcome::lost, "cut off; salvaged", run::FailureCause::other);
  }
  record.header.note =
      fmt::format("salvaged from {}: {} rows of JSON lines, {} rows only in HDF5, {} damaged lines",
                  fs::path(path).filename().string(), rows_in_lines,
                  rows_of(record) - rows_in_lines, lines.damaged);
  write_record(salvaged_path(path), record);
  return salvaged_path(path);
}

}  // namespace epochcast::record
