#include "src/output/table/fitted.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "src/base/core/text.hpp"
#include "src/output/table/columns.hpp"
#include "src/output/table/empty_columns.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::table {
namespace {

constexpr std::size_t between_columns = 2;

/// The bytes of the first `width` characters.
std::size_t bytes_within(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool is_start = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (is_start && width-- == 0) {
      break;
    }
  }
  return at;
}

std::string shown(const Cell& cell, const Column& column) {
  return printable(cell_text(cell, column));
}

std::size_t column_width(const Table& table, std::size_t i) {
  const auto& column = table.columns[i];
  std::size_t width = display_width(column.unit);
  for (const auto& word : split(printable(column.heading), ' ')) {
    width = std::max(width, display_width(word));
  }
  for (const auto& row : table.rows) {
    width = std::max(width, display_width(shown(row[i], column)));
  }
  return width;
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    widths.push_back(column_width(table, i));
  }
  return widths;
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
         between_columns * (widths.size() - 1);
}

bool fits(const Table& table, std::size_t width) {
  return table.columns.empty() || total_width(widths_of(table)) <= width;
}

/// Each row as one or more: texts are wrapped, the other cells stand in its first line.
Table with_wrapped_texts(Table table, std::size_t most) {
  std::vector<Row> rows;
  for (const auto& row : table.rows) {
    const auto begin = rows.size();
    rows.emplace_back(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (table.columns[i].kind == Column::Kind::number) {
        rows[begin][i] = row[i];
        continue;
      }
      const auto lines = wrapped(shown(row[i], table.columns[i]), most);
      for (std::size_t line = 0; line < lines.size(); ++line) {
        if (begin + line == rows.size()) {
          rows.emplace_back(row.size());
        }
        rows[begin + line][i] = lines[line];
      }
    }
  }
  table.rows = std::move(rows);
  return table;
}

/// As many columns as fit beside the first one, at least one, then the next ones.
std::vector<Table> in_parts(const Table& table, std::size_t width) {
  const auto widths = widths_of(table);
  std::vector<std::vector<std::size_t>> places;
  std::size_t used = 0;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    if (places.empty() || used + between_columns + widths[i] > width) {
      places.push_back({0});
      used = widths[0];
    }
    places.back().push_back(i);
    used += between_columns + widths[i];
  }
  std::vector<Table> parts;
  for (const auto& part : places) {
    keep_columns(parts.emplace_back(table), part);
    parts.back().notes.clear();
    if (parts.size() > 1) {
      parts.back().title += " (more columns)";
    }
  }
  parts.back().notes = table.notes;
  return parts;
}

}  // namespace

void note_constants(Table& table) {
  std::vector<std::string> constants;
  remove_columns_if(table, [&](std::size_t place) {
    const auto same = [&](const Row& row) { return row[place] == table.rows.front()[place]; };
    const bool is_constant =
        place > 0 && table.rows.size() > 1 && std::ranges::all_of(table.rows, same);
    if (is_constant) {
      const auto& column = table.columns[place];
      constants.push_back(column.heading + " " + shown(table.rows.front()[place], column));
    }
    return is_constant;
  });
  add_note(table, constants.empty() ? "" : "the same in all rows: " + join(constants, ", "));
}

std::optional<std::size_t> screen_width() {
  const char* columns = std::getenv("COLUMNS");
  if (const auto width = parse_integer(columns == nullptr ? "" : columns); width && *width > 0) {
    return static_cast<std::size_t>(*width);
  }
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::optional<std::size_t>(size.ws_col) : std::nullopt;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (display_width(rest) > width) {
    const auto most = bytes_within(rest, width);
    auto end = rest.rfind(' ', most);
    if (end == std::string_view::npos || end == 0) {
      const auto sign = rest.substr(0, most).find_last_of("/,;:=_-");
      end = sign == std::string_view::npos || sign == 0 ? most : sign + 1;
    }
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(' ')));
  }
  lines.emplace_back(rest);
  return lines;
}

std::vector<Table> fitted(const Table& table, std::size_t width) {
  if (fits(table, width)) {
    return {table};
  }
  auto narrow = without_empty_columns(table);
  note_constants(narrow);
  if (fits(narrow, width) || narrow.columns.size() < 2) {
    return {narrow};
  }
  constexpr std::size_t most_in_a_part = 40;
  for (const std::size_t most : {60, 40, 30, 22}) {
    if (auto texts = with_wrapped_texts(narrow, most); fits(texts, width)) {
      return {texts};
    }
  }
  const auto half = std::max<std::size_t>(1, (width - std::min(width, between_columns)) / 2);
  return in_parts(with_wrapped_texts(narrow, std::min(most_in_a_part, half)), width);
}

}  // namespace epochcast::table
