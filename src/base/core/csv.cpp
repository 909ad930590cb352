#include "src/base/core/csv.hpp"

#include <algorithm>
#include <utility>

#include "src/base/core/error.hpp"

namespace epochcast {
namespace {

void append_cell(std::string& line, const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) {
    line += cell;
    return;
  }
  line += '"';
  for (const char c : cell) {
    line += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  line += '"';
}

}  // namespace

std::string csv_line(const CsvRow& cells) {
  std::string line;
  for (const auto& cell : cells) {
    append_cell(line, cell);
    line += ',';
  }
  line.back() = '\n';
  return line;
}

/// Reads a quoted cell; moves `at_` after it and after the CR of a CRLF.
std::string CsvReader::quoted_cell() {
  std::string cell;
  for (++at_;; ++at_) {
    const auto quote = text_.find('"', at_);
    if (quote == std::string_view::npos) {
      throw Error("found a quoted cell that never ends");
    }
    cell += text_.substr(at_, quote - at_);
    at_ = quote + 1;
    if (at_ == text_.size() || text_[at_] != '"') {
      break;
    }
    cell += '"';
  }
  line_ += static_cast<int>(std::count(cell.begin(), cell.end(), '\n'));
  if (text_.substr(at_, 2) == "\r\n") {
    ++at_;
  }
  if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') {
    throw Error(
        "found text after the closing quote of a cell, expected a comma or the end of the line");
  }
  return cell;
}

std::string CsvReader::plain_cell() {
  const auto end = std::min(text_.find_first_of(",\n", at_), text_.size());
  std::string cell(text_.substr(at_, end - at_));
  if (end < text_.size() && text_[end] == '\n' && cell.ends_with('\r')) {
    cell.pop_back();
  }
  at_ = end;
  return cell;
}

bool CsvReader::next(CsvRow& row) {
  row.clear();
  row_line_ = line_;
  if (at_ == text_.size()) {
    return false;
  }
  for (;;) {
    row.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted_cell() : plain_cell());
    if (at_ == text_.size()) {
      return true;
    }
    if (text_[at_++] == '\n') {
      ++line_;
      return true;
    }
  }
}

std::vector<CsvRow> parse_csv(std::string_view text) {
  std::vector<CsvRow> rows;
  CsvReader reader(text);
  for (CsvRow row; reader.next(row);) {
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<std::size_t> find_column(const CsvRow& header, std::string_view name) {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - header.begin()));
}

}  // namespace epochcast
