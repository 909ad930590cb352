// The second witness: the record as one JSON object a line, {"table":"epochs","epoch":0,...}. Text
// that is only appended to survives what a structured file may not, and can be read while it grows.
//
// A number that JSON cannot say is a text: "nan", "inf", "-inf".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/core/fields.hpp"
#include "src/record/fixed_text.hpp"
#include "src/record/record.hpp"

namespace epochcast::record {

/// The JSON lines of a record: "x.h5" → "x.jsonl".
std::string json_lines_path(const std::string& record_path);

void append_json(std::string& text, std::int64_t value);
void append_json(std::string& text, double value);
void append_json(std::string& text, std::string_view value);
template <std::size_t N>
void append_json(std::string& text, const FixedText<N>& value) {
  append_json(text, value.view());
}

/// Appends one row as a line.
template <class Row>
void append_line(std::string& lines, std::string_view table, const Row& row) {
  lines += R"({"table":)";
  append_json(lines, table);
  for_each_field<Row>([&](const auto& field) {
    lines += ',';
    append_json(lines, field.name);
    lines += ':';
    append_json(lines, row.*field.member);
  });
  lines += "}\n";
}

/// Appends the environment text as a line of its own.
void append_modules_line(std::string& lines, std::string_view modules);

/// A file of lines that only grows.
class LineFile {
 public:
  enum class Mode { create, append };
  /// Throws RunError: the file exists (create) or does not (append), folder missing, no space.
  LineFile(const std::string& path, Mode mode);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  /// Writes `text` and takes away from it what has reached the file. Throws RunError if not all
  /// of it did; calling again goes on after the last byte written.
  void write(std::string& text);
  /// Waits until the disk has it.
  void sync();

 private:
  std::string path_;
  int descriptor_;
};

/// What JSON lines tell.
struct JsonLines {
  Record record;
  bool has_header = false;
  std::size_t lines = 0;
  std::size_t damaged = 0;  ///< Lines that are not whole; a kill may tear the last one.
};

/// Reads them as far as they are whole; also while they are being written. The last header counts.
/// Throws Error if the file cannot be read.
JsonLines read_json_lines(const std::string& path);

}  // namespace epochcast::record
