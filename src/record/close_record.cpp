// Closes the record of a job that is gone.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "src/base/core/clock.hpp"
#include "src/base/core/descriptor.hpp"
#include "src/base/core/error.hpp"
#include "src/record/h5.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/pending_rows.hpp"
#include "src/record/reader.hpp"
#include "src/record/record_file.hpp"
#include "src/record/writer.hpp"

namespace epochcast::record {
namespace {

/// Whether the rows of the lines stand at their places: at most the last line of a table is
/// damaged, as a kill leaves it.
bool has_all_rows(const JsonLines& lines) {
  bool all = lines.damaged <= 1 && lines.unchecked == 0;
  for_each_table([&](const auto& table) {
    const auto rows = (lines.record.*table.rows).size();
    all = all && std::ranges::none_of(lines.damaged_rows, [&](const DamagedLine& line) {
            return line.table == table.name && line.index < rows;
          });
  });
  return all;
}

/// Adds the rows that only the lines have: the disk was full when they were to reach the file, or
/// the kill came between the two.
void complete_from_lines(h5::File& file, const Record& stored, const JsonLines& lines) {
  const auto for_each_behind = [&](const auto& action) {
    for_each_table([&](const auto& table) {
      const auto& rows = lines.record.*table.rows;
      const auto have = (stored.*table.rows).size();
      if (rows.size() > have) {
        action(table, std::span(rows).subspan(have), have);
      }
    });
  };
  std::size_t room_bytes = 0;
  for_each_behind([&](const auto& /*table*/, auto rows, std::size_t /*have*/) {
    room_bytes += rows.size_bytes() + spare_bytes;
  });
  if (room_bytes == 0 || !has_all_rows(lines)) {
    return;
  }
  file.reserve(room_bytes);  // a disk that is still full changes nothing
  for_each_behind([&]<class Row>(const RecordTable<Row>& table, auto rows, std::size_t have) {
    const auto layout = layout_of<Row>();
    if (auto into = file.open_table(std::string(table.name), &layout)) {
      into->write(have, rows.data(), rows.size());
    }
  });
  file.flush();
}

}  // namespace

bool close_record(const std::string& path, run::Outcome outcome, const std::string& text,
                  run::FailureCause cause) {
  const auto lines_path = json_lines_path(path);
  const Descriptor lock(open(lines_path.c_str(), O_RDWR | O_CLOEXEC));  // NFS locks no other
  flock(lock.number(), LOCK_EX);  // has no effect on a file system without locks
  const auto lines =
      std::filesystem::exists(lines_path) ? read_json_lines(lines_path) : JsonLines{};
  auto header = lines.has_header ? lines.record.header : read_record(path).header;
  const bool was_running = outcome_of(header) == run::Outcome::running;
  if (was_running) {
    set_outcome(header, outcome, text, cause);
    header.finished_at = iso8601();
    if (std::filesystem::exists(lines_path)) {
      std::string line = "\n";  // ends a line that the kill left incomplete
      append_line(line, "header", header);
      LineFile(lines_path, LineFile::Mode::append).write(line);
    }
  }
  // A damaged file is not changed: read_record throws. After a kill between the last line and the
  // last flush, only the lines have the outcome.
  if (!std::filesystem::exists(path)) {
    return was_running;
  }
  if (const auto stored = read_record(path); outcome_of(stored.header) == run::Outcome::running) {
    auto file = h5::File::open(path, h5::File::Mode::update);
    try {
      complete_from_lines(file, stored, lines);
      write_header(file, header);
      file.close();
    } catch (const h5::Failure& failure) {
      throw RunError(fmt::format("{}: {}", path, failure.what()));
    }
  }
  return was_running;
}

}  // namespace epochcast::record
