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

/// Adds the rows that only the lines have: the disk was full when they were to reach the file, or
/// the kill came between the two.
void complete_from_lines(h5::File& file, const Record& stored, const JsonLines& lines) {
  if (lines.has_gap || lines.unchecked > 0) {
    return;
  }
  for_each_table([&]<class Row>(const RecordTable<Row>& table) {
    const auto rows = std::span(lines.record.*table.rows);
    const auto have = (stored.*table.rows).size();
    const auto layout = layout_of<Row>();
    if (auto into = file.open_table(std::string(table.name), &layout); into && rows.size() > have) {
      file.reserve(rows.subspan(have).size_bytes() + spare_bytes);  // a disk may still be full
      into->write(have, &rows[have], rows.size() - have);
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
