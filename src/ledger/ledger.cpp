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

std::string cell_of(Outcome value) {
  return std::string(to_text(value));
}

void read_cell(const std::string& cell, bool& value) {
  if (cell != "yes" && cell != "no") {
    throw Error(fmt::format("found '{}', expected yes or no", cell));
  }
  value = cell == "yes";
}
void read_cell(const std::string& cell, double& value) {
  if (cell.empty()) {
    return;
  }
  from_text(cell, value);
  if (!std::isfinite(value) || value < 0) {
    throw Error(fmt::format("found '{}', expected a time >=0", cell));
  }
}
void read_cell(const std::string& cell, Outcome& value) {
  const auto outcome = parse_enum<Outcome>(cell);
  if (!outcome) {
    throw Error(
        fmt::format("found '{}', expected complete, stopped, failed, lost or missing", cell));
  }
  value = *outcome;
}
template <class Value>
void read_cell(const std::string& cell, Value& value) {
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
      read_cell(cells[*column], row.*field.member);
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
  } else if (place->is_open() || !row.is_open()) {  // a late writer does not reopen a row
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

/// Reads the rows from the text of a ledger and omits damaged lines.
class Reader {
 public:
  Reader(const std::string& path, std::string_view text, std::vector<std::string>* damaged)
      : path_(path), rest_(text), damaged_(damaged) {}

  std::vector<LedgerRow> rows() {
    CsvRow names;
    if (!next(names) || !find_column(names, "point")) {
      throw Error(path_, 1, "is not the header of a ledger: found no column 'point'");
    }
    std::vector<LedgerRow> rows;
    for (CsvRow cells; next(cells);) {
      try {
        rows.push_back(row_of(names, cells));
      } catch (const Error& error) {
        note(line_, error);
      }
    }
    return rows;
  }

 private:
  /// The next row; a line with broken quotes is skipped.
  bool next(CsvRow& row) {
    while (true) {
      try {
        const bool found = reader_.next(row);
        line_ = before_ + reader_.line();
        return found;
      } catch (const Error& error) {
        note(before_ + reader_.line(), error);
        for (int i = 0; i < reader_.line(); ++i) {
          rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
        }
        before_ += reader_.line();
        reader_ = CsvReader(rest_);
      }
    }
  }

  void note(int line, const Error& error) {
    if (damaged_ != nullptr) {
      damaged_->emplace_back(Error(path_, line, error.what()).what());
    }
  }

  const std::string& path_;
  std::string_view rest_;
  std::vector<std::string>* damaged_;
  CsvReader reader_{rest_};
  int before_ = 0;  ///< Lines before `rest_`.
  int line_ = 1;
};

}  // namespace

std::vector<LedgerRow> read_ledger(const std::string& path, std::vector<std::string>* damaged) {
  if (!fs::exists(path)) {
    return {};
  }
  if (!fs::is_regular_file(path)) {  // a FIFO would block
    throw Error(fmt::format("{}: is not a regular file, so it cannot be a ledger", path));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return Reader(path, text, damaged).rows();
}

void put_in_ledger(const std::string& path, const std::vector<LedgerRow>& rows) {
  std::error_code problem;
  fs::create_directories(fs::path(path).parent_path(), problem);
  FileLock lock(path + ".lock");  // a separate file, since the ledger itself is replaced
  lock.lock();
  std::vector<std::string> damaged;
  auto all = read_ledger(path, &damaged);
  if (!damaged.empty()) {
    fs::copy_file(path, path + ".damaged", fs::copy_options::overwrite_existing);
  }
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
