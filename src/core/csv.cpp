#include "src/core/csv.hpp"

#include "src/core/error.hpp"

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

/// Reads a quoted cell whose opening quote stands at `at`; leaves `at` behind the closing one.
std::string quoted_cell(std::string_view text, std::size_t& at) {
  std::string cell;
  for (++at; at < text.size(); ++at) {
    if (text[at] != '"') {
      cell += text[at];
    } else if (at + 1 < text.size() && text[at + 1] == '"') {
      cell += text[++at];
    } else {
      ++at;
      return cell;
    }
  }
  throw Error("found a quoted cell that never ends");
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

std::vector<CsvRow> parse_csv(std::string_view text) {
  std::vector<CsvRow> rows;
  for (std::size_t at = 0; at < text.size();) {
    CsvRow row;
    for (bool more = true; more;) {
      if (at < text.size() && text[at] == '"') {
        row.push_back(quoted_cell(text, at));
      } else {
        const auto end = std::min(text.find_first_of(",\n", at), text.size());
        const bool ends_in_crlf =
            end > at && end < text.size() && text[end] == '\n' && text[end - 1] == '\r';
        row.emplace_back(text.substr(at, end - at - (ends_in_crlf ? 1 : 0)));
        at = end;
      }
      more = at < text.size() && text[at] == ',';
      ++at;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace epochcast
