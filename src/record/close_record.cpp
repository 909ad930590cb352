// Closes the record of a job that is gone.
#include <fcntl.h>
#include <sys/file.h>

#include <filesystem>

#include "src/base/core/clock.hpp"
#include "src/base/core/descriptor.hpp"
#include "src/record/h5.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/reader.hpp"
#include "src/record/record_file.hpp"
#include "src/record/writer.hpp"

namespace epochcast::record {
namespace {

/// The header from the JSON lines, or from the HDF5 file if the lines have none.
RecordHeader stored_header(const std::string& path, const std::string& lines_path) {
  if (std::filesystem::exists(lines_path)) {
    if (const auto lines = read_json_lines(lines_path); lines.has_header) {
      return lines.record.header;
    }
  }
  return read_record(path).header;
}

}  // namespace

bool close_record(const std::string& path, run::Outcome outcome, const std::string& text,
                  run::FailureCause cause) {
  const auto lines_path = json_lines_path(path);
  const Descriptor lock(open(lines_path.c_str(), O_RDONLY | O_CLOEXEC));
  flock(lock.number(), LOCK_EX);  // has no effect on a file system without locks
  auto header = stored_header(path, lines_path);
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
  if (std::filesystem::exists(path) &&
      outcome_of(read_record(path).header) == run::Outcome::running) {
    auto file = h5::File::open(path, h5::File::Mode::update);
    write_header(file, header);
    file.close();
  }
  return was_running;
}

}  // namespace epochcast::record
