// The second copy of a record: one JSON object per line,
// {"table":"epochs","epoch":0,...,"crc32":"00000000"}. A text file that is only appended to
// survives damage that a structured file does not, and can be read while it grows.
//
// Numbers that JSON cannot represent are written as text: "nan", "inf", "-inf". The last key is the
// CRC-32 of the line before its comma.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/core/descriptor.hpp"
#include "src/base/core/fields.hpp"
#include "src/base/core/line_buffer.hpp"
#include "src/record/fixed_text.hpp"
#include "src/record/record.hpp"

namespace epochcast::record {

/// The path of the JSON lines of a record: "x.h5" → "x.jsonl".
std::string json_lines_path(const std::string& record_path);

void append_json(std::string& text, std::int64_t value);
void append_json(std::string& text, double value);
void append_json(std::string& text, std::string_view value);
template <std::size_t N>
void append_json(std::string& text, const FixedText<N>& value) {
  append_json(text, value.view());
}

/// Ends the line that starts at offset `start` of `lines`: appends checksum, brace and line feed.
void end_line(std::string& lines, std::size_t start);

/// Appends one row as a line.
template <class Row>
void append_line(std::string& lines, std::string_view table, const Row& row) {
  const auto start = lines.size();
  lines += R"({"table":)";
  append_json(lines, table);
  for_each_field<Row>([&](const auto& field) {
    lines += ',';
    append_json(lines, field.name);
    lines += ':';
    append_json(lines, row.*field.member);
  });
  end_line(lines, start);
}

/// One row as a line: equal for rows of the same values, NaN included.
template <class Row>
std::string row_line(std::string_view table, const Row& row) {
  std::string line;
  append_line(line, table, row);
  return line;
}

/// Appends the environment text as a separate line.
void append_modules_line(std::string& lines, std::string_view modules);

/// A file of lines that is only appended to.
class LineFile {
 public:
  enum class Mode { create, append };
  /// Throws RunError: the file exists (create) or does not exist (append), there is no such folder,
  /// or there is no space.
  LineFile(const std::string& path, Mode mode);

  /// Writes `text` and removes from it the bytes that have reached the file. Throws RunError if
  /// some have not; the next call continues after the last byte written.
  void write(std::string& text);
  /// Waits until the data is on disk.
  void sync();

 private:
  std::string path_;
  Descriptor descriptor_;
};

/// A longer line is damaged.
inline constexpr std::size_t longest_line = std::size_t(16) << 20;

/// A damaged line of a known table: its table and the number of lines of that table before it.
struct DamagedLine {
  std::string table;
  std::size_t index = 0;
};

/// The content of JSON lines.
struct JsonLines {
  Record record;
  bool has_header = false;
  std::size_t lines = 0;
  std::size_t damaged = 0;    ///< Lines that are incomplete, changed or not JSON; a kill may cut
                              ///< off the last one.
  std::size_t unchecked = 0;  ///< Intact lines without a checksum, as older programs wrote them.
  bool has_gap = false;       ///< A row follows a damaged line, so its place may not be known.
  std::vector<DamagedLine> damaged_rows;  ///< Damaged lines that still begin with their table.
};

/// What to read of many lines, and how to keep little of them.
struct LineSelection {
  std::vector<std::string> without = {};    ///< Tables whose lines are not read.
  std::string only = {};                    ///< The table whose lines alone are read; "": all.
  std::function<void(Record&)> taken = {};  ///< Called now and then; may take rows away.
};

/// Reads the intact lines; also works while the file is being written. Of several headers the last
/// one is used. Throws Error if the file cannot be read.
JsonLines read_json_lines(const std::string& path, const LineSelection& selection = {});

/// Whether nothing was written to the lines for a minute. A program flushes its record every two
/// seconds, so what the HDF5 file then lacks does not reach it by itself: the program has ended, or
/// its disk is full.
bool are_quiet(const std::string& lines_path);

/// The lines of a file that grows, read again and again: each time only what is new. A last line
/// without its end is left for the next time.
class JsonLinesTail {
 public:
  explicit JsonLinesTail(std::string path) : path_(std::move(path)), lines_(longest_line) {}

  /// Reads on. A file that has become shorter, or another one under the same name, is read from its
  /// start. Returns whether there was anything new. Throws Error if the file cannot be read.
  bool read_on();
  /// What was read so far. The caller may remove rows that it does not need any more.
  JsonLines& content() { return content_; }
  const JsonLines& content() const { return content_; }

 private:
  std::string path_;
  std::uint64_t file_ = 0;  ///< Its inode.
  std::int64_t offset_ = 0;
  LineBuffer lines_;
  JsonLines content_;
};

}  // namespace epochcast::record
