#include "src/table/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "src/cli/report.hpp"
#include "src/core/files.hpp"
#include "src/core/registry.hpp"
#include "src/core/text.hpp"
#include "src/table/format.hpp"

namespace epochcast::table {
namespace {

std::vector<Table> only_part(std::vector<Table> tables, const std::string& part) {
  std::vector<std::string> names;
  for (const auto& table : tables) {
    names.push_back(table.name);
  }
  // "left_out" is the former name of "excluded".
  const auto found = std::find(names.begin(), names.end(), part == "left_out" ? "excluded" : part);
  if (found == names.end()) {
    throw Error(fmt::format("--part: no table '{}' here{}", part, did_you_mean(part, names)));
  }
  return {tables[static_cast<std::size_t>(found - names.begin())]};
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

/// "out.csv" for the first table, "out.gpu_ratios.csv" for the others.
std::string file_of(const std::string& output, const std::vector<Table>& tables,
                    const Table& table) {
  std::filesystem::path path(output);
  if (&table != tables.data()) {
    path.replace_extension("." + table.name + path.extension().string());
  }
  return path.string();
}

void print(const std::vector<Table>& tables, const FormatSpec& format) {
  const bool only_first = format.one_table_a_file && tables.size() > 1;
  const auto text = format.write(only_first ? std::vector<Table>{tables.front()} : tables);
  // CSV and JSON hold texts of records as they are; a terminal must not execute them.
  fmt::print("{}", isatty(STDOUT_FILENO) == 1 ? printable_lines(text) : text);
  if (std::fflush(stdout) != 0) {  // a full device fails here, not in the buffered print
    throw RunError(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
  if (only_first) {
    std::vector<std::string> others;
    for (auto table = tables.begin() + 1; table != tables.end(); ++table) {
      others.push_back(table->name);
    }
    cli::report(fmt::format("not printed: {} (--part NAME prints one, -o FILE writes all)",
                            join(others, ", ")));
  }
}

void write(const std::vector<Table>& tables, const FormatSpec& format, const std::string& output) {
  if (!format.one_table_a_file) {
    write_file(output, format.write(tables));
    return;
  }
  for (const auto& table : tables) {
    write_file(file_of(output, tables, table), format.write({table}));
  }
}

}  // namespace

std::vector<cli::Option> output_options() {
  const auto names = names_of(formats::all());
  return {{.name = "format",
           .value = "FORMAT",
           .meaning = join(names, "|"),
           .default_value = "text",
           .choices = names},
          {"part", "TABLE", "Print only this one of the tables"},
          {"sort", "KEY", "Sort the rows by this column (its CSV name); KEY:desc: highest first"},
          {"rows", "N", "Print only the first N rows of each table"},
          {"output,o", "FILE", "Write to FILE; CSV writes the further tables to files beside it"}};
}

void write_tables(std::vector<Table> tables, const cli::Arguments& arguments) {
  const auto& format = find_entry(formats::all(), "format", arguments.get("format"));
  if (arguments.has("part")) {
    tables = only_part(std::move(tables), arguments.get("part"));
  }
  if (arguments.has("sort")) {
    sort_rows(tables, arguments.get("sort"));
  }
  if (arguments.has("rows")) {
    cut_rows(tables, arguments.get("rows"));
  }
  if (arguments.has("output")) {
    write(tables, format, arguments.get("output"));
  } else {
    print(tables, format);
  }
}

}  // namespace epochcast::table
