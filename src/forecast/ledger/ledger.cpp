#include "src/forecast/ledger/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/base/config/csv_rows.hpp"
#include "src/base/core/file_lock.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/pending_file.hpp"

namespace epochcast::ledger {
namespace {

namespace fs = std::filesystem;

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

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

namespace fs = std::filesystem;

constexpr std::size_t most_records = 50;  // reading them takes a fraction of a second

}  // namespace

forecast::Prediction forecast_of_row(const LedgerRow& row) {
  return {row.forecast_s, {row.low_80_s, row.high_80_s}, {row.low_95_s, row.high_95_s}};
}

void set_forecast(LedgerRow& row, const forecast::Prediction& forecast_s) {
  row.forecast_s = forecast_s.value;
  row.low_80_s = forecast_s.interval_80.low;
  row.high_80_s = forecast_s.interval_80.high;
  row.low_95_s = forecast_s.interval_95.low;
  row.high_95_s = forecast_s.interval_95.high;
}

std::vector<LedgerRow> read_ledger(const std::string& path, std::vector<std::string>* damaged) {
  return read_newest(path, damaged, SIZE_MAX);
}

std::vector<LedgerRow> read_newest(const std::string& path, std::vector<std::string>* damaged,
                                   std::size_t bytes) {
  if (!fs::exists(path)) {
    return {};
  }
  require_no_pipe(path);
  auto in = file_stream(path);
  if (!in) {
    throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }
  std::string text;
  const bool is_cut = fs::file_size(path) > bytes;
  if (is_cut) {
    std::getline(in, text);
    text += '\n';
    in.seekg(-static_cast<std::streamoff>(bytes), std::ios::end);
    std::string rest;
    std::getline(in, rest);  // of a line whose beginning is not read
  }
  text.append(std::istreambuf_iterator<char>(in), {});
  return run::rows_of_csv<LedgerRow>(path, text, "point", "a ledger", is_cut ? nullptr : damaged);
}

void write_ledger(const std::string& path, const std::vector<LedgerRow>& rows) {
  PendingFile file(path);
  file.write(run::csv_of_rows(rows));
  file.replace();
}

void put_in_ledger(const std::string& path, const std::vector<LedgerRow>& rows) {
  std::error_code problem;
  fs::create_directories(fs::path(path).parent_path(), problem);
  // A separate file, since the ledger itself is replaced; one for all links to it.
  const auto lock_path = behind_links(path).string() + ".lock";
  constexpr double patience_s = 30;  // a writer holds it for milliseconds
  FileLock lock(lock_path);
  if (!lock.try_lock_for(patience_s)) {
    throw RunError(fmt::format("{}: another process holds this lock, so the ledger was not changed",
                               lock_path));
  }
  std::vector<std::string> damaged;
  auto all = read_ledger(path, &damaged);
  if (!damaged.empty()) {
    fs::copy_file(path, path + ".damaged", fs::copy_options::overwrite_existing);
  }
  for (const auto& row : rows) {
    put(row, all);
  }
  write_ledger(path, all);
}

std::string ledger_of(const std::string& out) {
  return out + "/ledger.csv";
}

std::optional<std::string> user_ledger() {
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

std::optional<std::string> site_ledger() {
  const auto site = variable("EPOCHCAST_SITE_LEDGER");
  return site && !site->empty() ? site : std::nullopt;
}

std::vector<std::string> records_of_experiment(const std::string& experiment) {
  std::vector<std::string> paths;
  const auto file = user_ledger();
  const auto rows = file ? read_newest(*file) : std::vector<LedgerRow>();
  for (auto row = rows.rbegin(); row != rows.rend() && paths.size() < most_records; ++row) {
    if (row->experiment != experiment || row->outcome != Outcome::complete) {
      continue;
    }
    const auto path =
        fs::path(row->out) / "records" / fmt::format("{}-{}.h5", row->point, row->job);
    std::error_code error;
    if (fs::exists(path, error)) {
      paths.push_back(path.string());
    }
  }
  return paths;
}

}  // namespace epochcast::ledger
