#include "analysis/report/report_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis {
namespace {

/// Records with their steps until these are too many, then all without.
class StepBudget {
 public:
  explicit StepBudget(std::size_t most) : most_(most) {}

  record::Rows rows() const { return is_spent() ? record::Rows::without_steps : record::Rows::all; }
  bool is_spent() const { return steps_ > most_; }

  void add(std::vector<LoadedRecord>& records) {
    steps_ += records.back().record.iterations.size();
    if (is_spent()) {
      for (auto& loaded : records) {
        std::vector<record::Iteration>().swap(loaded.record.iterations);
      }
    }
  }

 private:
  std::size_t most_;
  std::size_t steps_ = 0;
};

void read_records(ReportInput& input) {
  const auto& paths = input.request.paths;
  StepBudget budget(input.request.most_steps);
  record::RecordReader reader;
  for (const auto& path : record::find_records(paths)) {
    try {
      input.records.push_back({path, reader.read_consistent(path, budget.rows())});
      budget.add(input.records);
    } catch (const Error& error) {
      input.damaged.emplace_back(error.what());
    }
  }
  if (input.records.empty()) {
    throw input.damaged.empty()
        ? Error(fmt::format("{}: no record (*.h5) there", join(paths, ", ")))
        : Error(fmt::format("no record could be read: {}", input.damaged.front()), exit_failed);
  }
  if (budget.is_spent()) {
    input.without_steps = fmt::format(
        "the records have more than {} steps, and a report keeps at most that many in memory",
        input.request.most_steps);
  }
}

}  // namespace

std::vector<std::string> ledgers_beside(const std::vector<std::string>& paths) {
  std::vector<std::string> found;
  for (const auto& path : paths) {
    auto folder = absolute_path(path);
    if (!std::filesystem::is_directory(folder)) {
      folder = folder.parent_path();
    }
    for (const auto& place : {folder, folder.parent_path()}) {
      const auto file = ledger::ledger_of(place.string());
      if (std::filesystem::is_regular_file(file)) {
        if (std::ranges::find(found, file) == found.end()) {
          found.push_back(file);
        }
        break;
      }
    }
  }
  return found;
}

ReportInput read_report_input(ReportRequest request) {
  ReportInput input{.request = std::move(request)};
  read_records(input);
  input.records = filtered(std::move(input.records), input.request.filters);
  if (input.records.empty()) {
    throw Error("--filter: no record obeys all conditions");
  }
  input.ledgers =
      input.request.ledgers.empty() ? ledgers_beside(input.request.paths) : input.request.ledgers;
  for (const auto& file : input.ledgers) {
    ledger::read_ledger(file);  // a file that is no ledger is refused before the work
    if (!std::filesystem::exists(file)) {
      throw Error(fmt::format("--ledger: {}: no such file", file));
    }
  }
  return input;
}

}  // namespace epochcast::analysis
