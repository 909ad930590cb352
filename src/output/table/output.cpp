#include "src/output/table/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "src/base/cli/report.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/metric_meaning.hpp"
#include "src/base/core/registry.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/columns.hpp"
#include "src/output/table/fitted.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::table {
namespace {

namespace fs = std::filesystem;

std::vector<Table> only_part(std::vector<Table> tables, const std::string& part) {
  const auto names = mapped(tables, &table::Table::name);
  // "left_out" is the former name of "excluded".
  const auto found = std::find(names.begin(), names.end(), part == "left_out" ? "excluded" : part);
  if (found == names.end()) {
    throw Error(fmt::format("--part: no table '{}' here{}", part, did_you_mean(part, names)));
  }
  return {tables[static_cast<std::size_t>(found - names.begin())]};
}

/// A column of `--by` may be another column of the table, or only be called like it: "by_limit_s".
void make_keys_unique(Table& table) {
  for (std::size_t later = table.columns.size(); later-- > 1;) {
    const auto& key = table.columns[later].key;
    const auto earlier = static_cast<std::size_t>(
        std::ranges::find(table.columns, key, &Column::key) - table.columns.begin());
    if (earlier == later) {
      continue;
    }
    const bool same = std::ranges::all_of(table.rows, [&](const Row& row) {
      return cell_text(row[earlier], table.columns[earlier]) ==
             cell_text(row[later], table.columns[later]);
    });
    if (!same) {
      table.columns[earlier].key = "by_" + key;
      continue;
    }
    remove_columns_if(table, [&](std::size_t place) { return place == later; });
  }
}

/// "best" stands for the first column of a best result ("best_accuracy"), from its better end.
std::string sort_key(const std::vector<Table>& tables, const std::string& key) {
  constexpr std::string_view mark = "best_";
  if (key != "best") {
    return key;
  }
  for (const auto& table : tables) {
    for (const auto& column : table.columns) {
      if (!column.key.starts_with(mark)) {
        continue;
      }
      const auto meaning = meaning_of_metric(column.key.substr(mark.size()));
      if (meaning.higher_is_better) {
        return column.key + (*meaning.higher_is_better ? ":desc" : "");
      }
    }
  }
  return key;
}

/// Rows without a value in the column come last. Tables without the column stay as they are.
void sort_rows(std::vector<Table>& tables, std::string key) {
  constexpr std::string_view descending_mark = ":desc";
  const bool descending = key.ends_with(descending_mark);
  if (descending) {
    key.resize(key.size() - descending_mark.size());
  }
  std::vector<std::string> keys;
  bool sorted = false;
  for (auto& table : tables) {
    const auto of_table = keys_of(table.columns);
    keys.insert(keys.end(), of_table.begin(), of_table.end());
    const auto found = std::ranges::find(of_table, key);
    if (found == of_table.end()) {
      continue;
    }
    const auto at = static_cast<std::size_t>(found - of_table.begin());
    std::ranges::stable_sort(table.rows, [&](const Row& a, const Row& b) {
      if (a[at].index() == 0 || b[at].index() == 0) {
        return a[at].index() != 0 && b[at].index() == 0;
      }
      return descending ? b[at] < a[at] : a[at] < b[at];
    });
    sorted = true;
  }
  if (!sorted) {
    throw Error(fmt::format("--sort: no column '{}' here{}", key, did_you_mean(key, keys)));
  }
}

/// Keeps the first rows of every table; a note says how many there were.
void cut_rows(std::vector<Table>& tables, const std::string& text) {
  const auto most = parse_integer(text);
  if (!most || *most < 1) {
    throw Error(fmt::format("--rows: found '{}', expected a whole number above 0", text));
  }
  for (auto& table : tables) {
    if (std::ssize(table.rows) > *most) {
      table.notes.insert(table.notes.begin(),
                         fmt::format("the first {} of {} rows", *most, table.rows.size()));
      table.rows.resize(static_cast<std::size_t>(*most));
    }
  }
}

/// Keeps the columns that the options or the format ask for; names those that it leaves out.
std::vector<std::string> select_columns(std::vector<Table>& tables, const FormatSpec& format,
                                        const cli::Arguments& arguments) {
  std::vector<std::string> notices;
  if (arguments.has("columns")) {
    choose_columns(tables, split(arguments.get("columns"), ','));
  } else if (format.for_readers && !arguments.has("wide")) {
    for (auto& table : tables) {
      if (const auto hidden = remove_details(table); !hidden.empty()) {
        notices.push_back(
            fmt::format("table {}: not shown: {} (--wide shows all, --columns KEY,... chooses)",
                        table.name, join(hidden, ", ")));
      }
    }
  }
  return notices;
}

/// "out.csv" for the first table, "out.gpu_ratios.csv" for the others.
std::string part_file(const std::string& output, const std::vector<Table>& tables,
                      const Table& table) {
  fs::path path(output);
  if (&table != tables.data()) {
    path.replace_extension("." + table.name + path.extension().string());
  }
  return path.string();
}

/// For a screen: no row is wider.
std::vector<Table> fitted_to_screen(const std::vector<Table>& tables) {
  const auto width = screen_width();
  std::vector<Table> all;
  for (const auto& table : tables) {
    const auto parts = width ? fitted(table, *width) : std::vector{table};
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return all;
}

/// The first of the tables, if the format holds one only; says which are left out.
std::vector<Table> that_fit(const std::vector<Table>& tables, const FormatSpec& format) {
  if (!format.one_table_a_file || tables.size() < 2) {
    return tables;
  }
  std::vector<std::string> others;
  for (auto table = tables.begin() + 1; table != tables.end(); ++table) {
    others.push_back(table->name);
  }
  cli::report(fmt::format("not printed: {} (--part NAME prints one, -o FILE writes all)",
                          join(others, ", ")));
  return {tables.front()};
}

void print(const std::vector<Table>& tables, const FormatSpec& format) {
  const auto text = format.write(that_fit(tables, format));
  fmt::print("{}", isatty(STDOUT_FILENO) == 1 ? printable_lines(text) : text);
  if (std::fflush(stdout) != 0) {  // a full device fails here, not in the buffered print
    throw RunError(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
}

/// No file can stand beside a device or a pipe.
void write(const std::vector<Table>& tables, const FormatSpec& format, const std::string& output) {
  std::error_code absent;
  const bool has_neighbours = !fs::exists(output, absent) || fs::is_regular_file(output, absent);
  if (!format.one_table_a_file || !has_neighbours) {
    write_file(output, format.write(that_fit(tables, format)));
    return;
  }
  for (const auto& table : tables) {
    write_file(part_file(output, tables, table), format.write({table}));
  }
}

}  // namespace

std::vector<cli::Option> output_options() {
  const auto names = names_of(formats::all());
  return {
      {.name = "format",
       .value = "FORMAT",
       .meaning = join(names, "|"),
       .default_value = "text",
       .choices = names},
      {"part", "TABLE", "Print only this one of the tables"},
      {"sort", "KEY",
       "Sort the rows by this column (its CSV name); KEY:desc: highest first; best: the best "
       "result first"},
      {"rows", "N", "Print only the first N rows of each table"},
      {"columns", "KEYS", "Print only these columns (their CSV names, with commas between)"},
      {"wide", "",
       "Print all columns in full; else text, markdown, latex and html leave out details, and text "
       "fits the screen"},
      {"output,o", "FILE", "Write to FILE; CSV writes the further tables to files beside it"}};
}

void write_tables(std::vector<Table> tables, const cli::Arguments& arguments) {
  const auto& format = find_entry(formats::all(), "format", arguments.get("format"));
  std::ranges::for_each(tables, make_keys_unique);
  if (arguments.has("part")) {
    tables = only_part(std::move(tables), arguments.get("part"));
  }
  if (arguments.has("sort")) {
    sort_rows(tables, sort_key(tables, arguments.get("sort")));
  }
  if (arguments.has("rows")) {
    cut_rows(tables, arguments.get("rows"));
  }
  const auto notices = select_columns(tables, format, arguments);
  if (arguments.has("output")) {
    write(tables, format, arguments.get("output"));
  } else {
    const bool fits_screen = arguments.get("format") == "text" && !arguments.has("wide");
    print(fits_screen ? fitted_to_screen(tables) : tables, format);
  }
  std::ranges::for_each(notices, cli::report);
}

}  // namespace epochcast::table
