#include "src/record/json_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"

namespace epochcast::record {
namespace {

using nlohmann::json;

void read_value(const json& from, std::int64_t& to) {
  to = from.get<std::int64_t>();
}

void read_value(const json& from, double& to) {
  to = from.is_string() ? parse_double(from.get_ref<const std::string&>()).value()
                        : from.get<double>();
}

template <std::size_t N>
void read_value(const json& from, FixedText<N>& to) {
  to = from.get_ref<const std::string&>();
}

template <class Row>
Row read_row(const json& line) {
  Row row;
  for_each_field<Row>([&](const auto& field) {
    auto found = line.find(field.name);
    if (found == line.end() && !field.old_name.empty()) {
      found = line.find(field.old_name);
    }
    if (found != line.end()) {
      read_value(*found, row.*field.member);
    }
  });
  return row;
}

/// Throws if the line is damaged; ignores lines of unknown tables.
void take_line(const std::string& text, JsonLines& into) {
  const auto line = json::parse(text);
  const auto& name = line.at("table").get_ref<const std::string&>();
  if (name == "header") {
    into.record.header = read_row<RecordHeader>(line);
    into.has_header = true;
  } else if (name == "modules") {
    into.record.modules = line.at("text").get<std::string>();
  }
  for_each_table([&]<class Row>(const RecordTable<Row>& table) {
    if (table.name == name) {
      use_current_value((into.record.*table.rows).emplace_back(read_row<Row>(line)));
    }
  });
}

constexpr std::string_view checksum_key = R"(,"crc32":")";
constexpr std::size_t checksum_size = checksum_key.size() + 10;  // 8 digits, a quote, a brace

std::string line_checksum(std::string_view line) {
  return fmt::format("{}{:08x}\"}}", checksum_key, crc32_of(line));
}

bool has_checksum(std::string_view line) {
  return line.size() > checksum_size &&
         line.substr(line.size() - checksum_size).starts_with(checksum_key);
}

bool is_intact(std::string_view line) {
  const auto content = line.substr(0, line.size() - checksum_size);
  return line_checksum(content) == line.substr(content.size());
}

/// Counts a damaged line, with its table and position if it begins with a known table.
void note_damage(std::string_view line, JsonLines& into) {
  ++into.damaged;
  for_each_table([&](const auto& table) {
    if (!line.starts_with(fmt::format(R"({{"table":"{}",)", table.name))) {
      return;
    }
    const auto before = std::ranges::count(into.damaged_rows, table.name, &DamagedLine::table);
    into.damaged_rows.push_back({std::string(table.name), (into.record.*table.rows).size() +
                                                              static_cast<std::size_t>(before)});
  });
}

void read_line(const std::string& text, JsonLines& into) {
  const bool checked = has_checksum(text);
  if (checked && !is_intact(text)) {
    return note_damage(text, into);
  }
  try {
    take_line(text, into);
    into.unchecked += checked ? 0 : 1;
  } catch (const std::exception&) {  // not JSON, no table, a value of another type
    note_damage(text, into);
  }
}

[[noreturn]] void fail(const std::string& path) {
  const int error = errno;
  throw RunError(
      fmt::format("{}: {}", path, error == EEXIST ? "exists already" : std::strerror(error)));
}

}  // namespace

std::string json_lines_path(const std::string& record_path) {
  const auto stem = record_path.ends_with(".h5") ? record_path.size() - 3 : record_path.size();
  return record_path.substr(0, stem) + ".jsonl";
}

void append_json(std::string& text, std::int64_t value) {
  fmt::format_to(std::back_inserter(text), "{}", value);
}

void append_json(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "\"nan\"";  // also for -nan, as in the schema
    return;
  }
  const std::string_view quote = std::isinf(value) ? "\"" : "";
  fmt::format_to(std::back_inserter(text), "{}{}{}", quote, value, quote);
}

void append_json(std::string& text, std::string_view value) {
  text += json(value).dump(-1, ' ', false, json::error_handler_t::replace);
}

void end_line(std::string& lines, std::size_t start) {
  lines += line_checksum(std::string_view(lines).substr(start)) + "\n";
}

void append_modules_line(std::string& lines, std::string_view modules) {
  const auto start = lines.size();
  lines += R"({"table":"modules","text":)";
  append_json(lines, modules);
  end_line(lines, start);
}

LineFile::LineFile(const std::string& path, Mode mode)
    : path_(path),
      descriptor_(::open(
          path.c_str(),
          O_WRONLY | O_APPEND | O_CLOEXEC | (mode == Mode::create ? O_CREAT | O_EXCL : 0), 0666)) {
  if (descriptor_.number() < 0) {
    fail(path_);
  }
}

void LineFile::write(std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const auto count = ::write(descriptor_.number(), text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) {
      text.erase(0, written);
      fail(path_);
    }
    written += count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  text.clear();
}

void LineFile::sync() {
  if (::fsync(descriptor_.number()) != 0 && errno != EINVAL && errno != EROFS) {
    fail(path_);
  }
}

JsonLines read_json_lines(const std::string& path, const LineSelection& selection) {
  constexpr std::size_t often = 4096;
  auto in = file_stream(path);
  if (!in) {
    throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
  }
  std::vector<std::string> skipped;
  for (const auto& table : selection.without) {
    skipped.push_back(fmt::format(R"({{"table":"{}",)", table));
  }
  JsonLines content;
  for (std::string text; next_line(in, text);) {
    if (text.empty() || starts_with_any(text, skipped)) {
      continue;
    }
    ++content.lines;
    read_line(text, content);
    if (selection.taken && content.lines % often == 0) {
      selection.taken(content.record);
    }
  }
  if (selection.taken) {
    selection.taken(content.record);
  }
  return content;
}

bool are_quiet(const std::string& lines_path) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(lines_path, error);
  return !error &&
         std::filesystem::file_time_type::clock::now() - written > std::chrono::minutes(1);
}

std::optional<std::vector<Epoch>> epochs_in_lines(const std::string& lines_path) {
  constexpr std::string_view start = R"({"table":"epochs",)";
  auto in = file_stream(lines_path);
  JsonLines content;
  for (std::string text; next_line(in, text);) {
    if (text.starts_with(start)) {
      read_line(text, content);
    }
  }
  return in.bad() || content.damaged > 0 ? std::nullopt
                                         : std::optional(std::move(content.record.epochs));
}

bool JsonLinesTail::read_on() {
  struct stat state {};
  auto in = file_stream(path_);
  if (!in || ::stat(path_.c_str(), &state) != 0) {
    throw Error(fmt::format("{}: {}", path_, std::strerror(errno)));
  }
  if (state.st_ino != file_ || state.st_size < offset_) {
    content_ = {};
    offset_ = 0;
    file_ = state.st_ino;
  }
  if (state.st_size == offset_) {
    return false;
  }
  in.seekg(offset_);
  bool any = false;
  for (std::string text; next_line(in, text) && !in.eof();) {  // at the end: not a whole line yet
    offset_ = text.size() < longest_kept_line ? offset_ + static_cast<std::int64_t>(text.size()) + 1
                                              : static_cast<std::int64_t>(in.tellg());
    if (!text.empty()) {
      ++content_.lines;
      read_line(text, content_);
    }
    any = true;
  }
  return any;
}

}  // namespace epochcast::record
