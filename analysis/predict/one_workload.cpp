#include "analysis/predict/one_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/recorded_step.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis {

namespace {

/// The free parameters of a run and its number of workers, and the words of its command.
struct RunWords {
  std::vector<std::string> values;
  std::vector<std::string> words;

  RunWords(const record::Record& record, const record::ParameterNames& free)
      : values{format_shortest(setting_of(record).workers)},
        words(split(record::parameter(record, "command"), ' ')) {
    for (const auto& name : free) {
      values.push_back(record::parameter(record, name));
    }
  }
};

/// Whether all have the same word there, or each the same one with its own value at the end.
bool follows_at(std::size_t place, const std::vector<RunWords>& runs) {
  const auto& first = runs.front();
  for (std::size_t i = 0; i < first.values.size(); ++i) {
    const auto& word = first.words[place];
    const auto stem = word.substr(0, word.size() - std::min(word.size(), first.values[i].size()));
    if (!first.values[i].empty() && std::ranges::all_of(runs, [&](const RunWords& run) {
          return run.words[place] == stem + run.values[i];
        })) {
      return true;
    }
  }
  return std::ranges::all_of(
      runs, [&](const RunWords& run) { return run.words[place] == first.words[place]; });
}

bool commands_follow(const std::vector<RunWords>& runs) {
  for (const auto& run : runs) {
    if (run.words.size() != runs.front().words.size()) {
      return false;
    }
  }
  for (std::size_t place = 0; place < runs.front().words.size(); ++place) {
    if (!follows_at(place, runs)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool ran_on(const record::Record& record, bool gpus) {
  return used_gpu(record) == gpus && (gpus ? gpus_of(record) : cpus_of(record)) > 0;
}

void require_one_workload(const std::vector<LoadedRecord>& records, bool gpus,
                          const record::ParameterNames& free) {
  std::vector<run::ParameterValues> works;
  std::vector<RunWords> commands;
  run::ParameterValues names;
  for (const auto& [path, record] : records) {
    if (ran_on(record, gpus)) {
      names.merge(run::ParameterValues(works.emplace_back(epoch_parameters(record))));
      commands.emplace_back(record, free);
    }
  }
  for (const auto& [name, unused] : names) {
    std::set<std::string> values;
    for (auto& work : works) {
      values.insert(work[name]);
    }
    if (values.size() > 1 && !free.contains(name) &&
        (name != "command" || free.empty() || !commands_follow(commands))) {
      throw Error(
          fmt::format("the records differ in {0}: '{1}' and '{2}'; choose with --filter "
                      "{0}=...",
                      name, *values.begin(), *values.rbegin()));
    }
  }
}

std::vector<forecast::Border> borders_of(const record::Record& record) {
  std::vector<forecast::Border> borders;
  if (record.machines.empty()) {
    return borders;
  }
  const auto& machine = record.machines.front();
  if (machine.sockets > 1) {
    borders.push_back({static_cast<double>(machine.cores) / static_cast<double>(machine.sockets),
                       "cores of another socket"});
  }
  if (machine.cores > 0) {
    borders.push_back({static_cast<double>(machine.cores),
                       machine.threads_per_core > 1 ? "second hardware threads of the same cores"
                                                    : "cores that the machine does not have"});
  }
  return borders;
}

}  // namespace epochcast::analysis
