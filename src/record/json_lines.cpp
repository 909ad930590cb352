#include "src/record/json_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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
#include "src/base/core/lists.hpp"
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
void take_line(std::string_view text, JsonLines& into) {
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
      into.has_gap = into.has_gap || into.damaged > 0;
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

void read_line(std::string_view text, JsonLines& into) {
  if (text.empty()) {
    return;
  }
  ++into.lines;
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
  std::string_view left = text;
  const bool done = write_all(descriptor_.number(), left);
  text.erase(0, text.size() - left.size());
  if (!done) {
    fail(path_);
  }
}

void LineFile::sync() {
  if (::fsync(descriptor_.number()) != 0 && errno != EINVAL && errno != EROFS) {
    fail(path_);
  }
}

JsonLines read_json_lines(const std::string& path, const LineSelection& selection) {
  constexpr std::size_t often = 4096;
  const auto start_of = [](const auto& table) { return fmt::format(R"({{"table":"{}",)", table); };
  const auto only = selection.only.empty() ? "" : start_of(selection.only);
  const auto skipped = mapped(selection.without, start_of);
  JsonLines content;
  const auto take = [&](const FileLine& line) {
    if (line.text.starts_with(only) && !starts_with_any(line.text, skipped)) {
      read_line(line.text, content);
    }
    if (selection.taken && line.number % often == 0) {
      selection.taken(content.record);
    }
  };
  LineBuffer lines(longest_line);
  read_parts_or_gzip(path, [&](std::string_view part) { lines.add(part, take); });
  lines.finish(take);
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

bool JsonLinesTail::read_on() {
  struct stat state {};
  auto in = file_stream(path_);
  if (!in || ::stat(path_.c_str(), &state) != 0) {
    throw Error(fmt::format("{}: {}", path_, std::strerror(errno)));
  }
  if (state.st_ino != file_ || state.st_size < offset_) {
    content_ = {};
    lines_.restart();
    offset_ = 0;
    file_ = state.st_ino;
  }
  in.seekg(offset_);
  bool any = false;
  for (std::array<char, 65536> part; in.read(part.data(), part.size()) || in.gcount() > 0;) {
    offset_ += in.gcount();
    lines_.add({part.data(), static_cast<std::size_t>(in.gcount())}, [&](const FileLine& line) {
      read_line(line.text, content_);
      any = true;
    });
  }
  return any;
}

}  // namespace epochcast::record
