// Says the last word on a record whose job cannot.
#include <filesystem>

#include "src/core/clock.hpp"
#include "src/record/h5.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"
#include "src/record/record_file.hpp"
#include "src/record/writer.hpp"

namespace epochcast {
namespace {

/// The header as the lines tell it, or as the file does where they do not.
RecordHeader header_of(const std::string& path, const std::string& lines_path) {
  if (std::filesystem::exists(lines_path)) {
    if (const auto lines = read_json_lines(lines_path); lines.has_header) {
      return lines.record.header;
    }
  }
  return read_record(path).header;
}

}  // namespace

void settle_record(const std::string& path, const std::string& outcome, const std::string& text) {
  const auto lines_path = json_lines_path(path);
  auto header = header_of(path, lines_path);
  if (header.outcome == "running") {
    header.outcome = outcome;
    header.outcome_text = text;
    header.finished_at = iso8601();
    if (std::filesystem::exists(lines_path)) {
      std::string line = "\n";  // ends a line that the kill tore
      append_line(line, "header", header);
      LineFile(lines_path, LineFile::Mode::append).write(line);
    }
  }
  // A damaged file is left as it is: read_record throws. A kill between the last line and the last
  // flush leaves an outcome in the lines only.
  if (std::filesystem::exists(path) && read_record(path).header.outcome == "running") {
    auto file = h5::File::open(path, h5::File::Mode::update);
    write_header(file, header);
    file.close();
  }
}

}  // namespace epochcast
