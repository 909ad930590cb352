#include "jobs/plan/known_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/ledger.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_of_parameters(const std::vector<record::LoadedRecord>& records) {
  std::set<std::string> names;
  for (const auto& loaded : records) {
    for (const auto& parameter : loaded.record.parameters) {
      names.insert(parameter.name.str());
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace

RelativesAsked checked(RelativesAsked asked) {
  for (auto& path : asked.paths) {
    path = fs::absolute(path).lexically_normal().string();
  }
  if (asked.paths.empty()) {
    if (!asked.may_differ.empty()) {
      throw Error("--may-differ: goes with --relatives");
    }
    return asked;
  }
  const auto loaded = record::load_records(asked.paths, record::Rows::without_steps);
  const auto names = names_of_parameters(loaded.records);
  for (const auto& name : asked.may_differ) {
    if (std::ranges::find(names, name) == names.end()) {
      throw Error(fmt::format("--may-differ: no record of --relatives has a parameter '{}'{}", name,
                              suggestion(name, names)));
    }
  }
  return asked;
}

KnownRuns known_runs(const RelativesAsked& asked, const std::string& experiment) {
  KnownRuns known;
  for (const auto& name : asked.may_differ) {
    known.may_differ.insert(name);
  }
  const auto add = [&](const std::vector<std::string>& paths) {
    if (!paths.empty()) {
      auto loaded = record::load_records(paths, record::Rows::without_steps);
      std::ranges::move(loaded.records, std::back_inserter(known.records));
    }
  };
  try {
    add(asked.paths);
    add(ledger::records_of_experiment(experiment));
  } catch (const Error& error) {
    known.problem = fmt::format("runs elsewhere were not used: {}", error.what());
  }
  return known;
}

}  // namespace epochcast::jobs
