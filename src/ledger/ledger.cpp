#include "src/ledger/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/core/csv.hpp"
#include "src/core/file_lock.hpp"
#include "src/core/pending_file.hpp"
#include "src/run/field_values.hpp"

namespace epochcast::ledger {
namespace {

namespace fs = std::filesystem;

std::string cell_of(const std::string& value) {
  return value;
}
std::string cell_of(bool value) {
  return value ? "yes" : "no";
}
std::string cell_of(std::int64_t value) {
  return std::to_string(value);
}
std::string cell_of(double value) {
  return std::isnan(value) ? "" : format_shortest(value);
}

void take(const std::string& cell, bool& value) {
  if (cell != "yes" && cell != "no") {
    throw Error(fmt::format("found '{}', expected yes or no", cell));
  }
  value = cell == "yes";
}
void take(const std::string& cell, double& value) {
  if (!cell.empty()) {
    from_text(cell, value);
  }
}
template <class Value>
void take(const std::string& cell, Value& value) {
  from_text(cell, value);
}

LedgerRow row_of(const CsvRow& names, const CsvRow& cells) {
  if (cells.size() != names.size()) {
    throw Error(fmt::format("found {} cells, expected {}", cells.size(), names.size()));
  }
  LedgerRow row;
  for_each_field<LedgerRow>([&](const auto& field) {
    const auto column = find_column(names, field.name);
    if (!column) {
      return;
    }
    try {
      take(cells[*column], row.*field.member);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", field.name, error.what()));
    }
  });
  return row;
}

CsvRow cells_of(const LedgerRow& row) {
  CsvRow cells;
  for_each_field<LedgerRow>(
      [&](const auto& field) { cells.push_back(cell_of(row.*field.member)); });
  return cells;
}

void put(const LedgerRow& row, std::vector<LedgerRow>& all) {
  const auto place = std::find_if(all.begin(), all.end(), [&](const LedgerRow& old) {
    const bool same_forecast = old.made_at == row.made_at && !row.made_at.empty();
    return old.out == row.out && old.point == row.point && (old.is_open() || same_forecast);
  });
  if (place == all.end()) {
    all.push_back(row);
  } else if (place->is_open() || !row.is_open()) {  // who comes late opens no row again
    *place = row;
  }
}

void replace_file(const std::string& path, const std::vector<LedgerRow>& rows) {
  auto text = csv_line(run::field_names<LedgerRow>());
  for (const auto& row : rows) {
    text += csv_line(cells_of(row));
  }
  PendingFile file(path);
  file.write(text);
  file.replace();
}

}  // namespace

std::vector<LedgerRow> read_ledger(const std::string& path) {
  if (!fs::exists(path)) {
    return {};
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto cells = parse_csv(text);
  if (cells.empty() || !find_column(cells[0], "point")) {
    throw Error(path, 1, "is not the header of a ledger: found no column 'point'");
  }
  std::vector<LedgerRow> rows;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    try {
      rows.push_back(row_of(cells[0], cells[i]));
    } catch (const Error& error) {
      throw Error(path, static_cast<int>(i) + 1, error.what());
    }
  }
  return rows;
}

void put_in_ledger(const std::string& path, const std::vector<LedgerRow>& rows) {
  std::error_code problem;
  fs::create_directories(fs::path(path).parent_path(), problem);
  FileLock lock(path + ".lock");  // a file beside the ledger, as the ledger itself is replaced
  lock.lock();
  auto all = read_ledger(path);
  for (const auto& row : rows) {
    put(row, all);
  }
  replace_file(path, all);
}

std::string ledger_of(const std::string& out) {
  return out + "/ledger.csv";
}

std::optional<std::string> user_ledger() {
  const auto variable = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  if (const auto own = variable("EPOCHCAST_LEDGER")) {
    return own->empty() ? std::nullopt : own;
  }
  if (const auto data = variable("XDG_DATA_HOME"); data && !data->empty()) {
    return *data + "/epochcast/ledger.csv";
  }
  const auto home = variable("HOME");
  return home && !home->empty() ? std::optional(*home + "/.local/share/epochcast/ledger.csv")
                                : std::nullopt;
}

}  // namespace epochcast::ledger
