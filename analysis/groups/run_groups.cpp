#include "analysis/groups/run_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/records/record_metrics.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis {
namespace {

/// Why the run's time cannot be used, or "".
std::string own_fault(const record::Record& record) {
  if (auto fault = fault_of(record); !fault.empty()) {
    return fault;
  }
  if (record::epochs_of(record) < 1) {
    return "does not state its number of epochs";
  }
  if (!total_training_s(record)) {
    return fmt::format("holds {} of {} epochs", record.epochs.size(), record::epochs_of(record));
  }
  return "";
}

/// What must be equal for two runs to be compared: all but what repeats a run, and what its
/// allocation is.
run::ParameterValues identity(const record::Record& record, const std::vector<std::string>& by) {
  auto free = record::names_of({run::ParameterRole::repeat, run::ParameterRole::place});
  free.insert("epochs");
  free.insert(by.begin(), by.end());
  auto parameters = effective_parameters(record, std::move(free));
  for (const auto& work : record.work) {
    parameters["samples_per_epoch"] = std::to_string(work.samples_per_epoch);
  }
  return parameters;
}

/// What distinguishes two groups.
struct GroupKey {
  std::vector<std::string> by = {};
  std::string allocation;
  std::string device;
  std::string source;
  auto operator<=>(const GroupKey&) const = default;
};

GroupKey key_of(const record::Record& record, const std::vector<std::string>& by) {
  return {.by = attributes(record, by),
          .allocation = record.header.allocation.str(),
          .device = device_of(record),
          .source = record.header.source.str()};
}

using Candidates = std::vector<const LoadedRecord*>;

/// Groups that are set against each other, before they are made.
using Beside = std::vector<std::pair<GroupKey, Candidates>>;

/// Parameters, and who had them.
struct Shared {
  run::ParameterValues parameters;
  std::size_t groups = 0;
  std::size_t runs = 0;
  const Candidates* last = nullptr;  ///< The group counted last.
};

void count(std::vector<Shared>& sets, run::ParameterValues parameters, const Candidates& group) {
  auto found = std::ranges::find(sets, parameters, &Shared::parameters);
  if (found == sets.end()) {
    found = sets.insert(found, Shared{std::move(parameters)});
  }
  ++found->runs;
  found->groups += found->last == &group ? 0 : 1;
  found->last = &group;
}

/// Every different list of parameters, in the order of the groups and their runs.
std::vector<Shared> shared_sets(const Beside& beside, const std::vector<std::string>& by) {
  std::vector<Shared> sets;
  for (const auto& [key, runs] : beside) {
    for (const auto* run : runs) {
      count(sets, identity(run->record, by), runs);
    }
  }
  return sets;
}

/// The parameters of most groups, of these of most runs; of two the ones that come first.
const run::ParameterValues& most_common(const std::vector<Shared>& sets) {
  return std::ranges::max_element(sets, {},
                                  [](const Shared& set) { return std::pair(set.groups, set.runs); })
      ->parameters;
}

/// "model.depth=4 batch=100": of `parameters` those in which the sets differ.
std::string chosen_of(const std::vector<Shared>& sets, const run::ParameterValues& parameters) {
  std::vector<std::string> chosen;
  for (const auto& [name, value] : parameters) {
    const bool varied = std::ranges::any_of(sets, [&](const Shared& set) {
      const auto found = set.parameters.find(name);
      return found == set.parameters.end() || found->second != value;
    });
    if (varied) {
      chosen.push_back(name + "=" + value);
    }
  }
  return join(chosen, " ");
}

/// Orders "64" before "256" and "cpu2" before "cpu16".
auto rank(const RunGroup& group) {
  const auto& record = group.example();
  const bool wants_gpu = used_gpu(record) || parse_integer(asked(record, "gpus")).value_or(0) > 0;
  return std::tuple(wants_gpu, cpus_of(record), natural_key(group.allocation),
                    natural_keys(group.by), group.device, group.source);
}

class GroupBuilder {
 public:
  GroupBuilder(const std::vector<LoadedRecord>& records, std::vector<std::string> by,
               OtherWork other)
      : by_(std::move(by)), other_(other) {
    for (const auto& loaded : records) {
      has_real_ = has_real_ || loaded.record.header.source.view() != "simulated";
    }
    for (const auto& loaded : records) {
      sort_in(loaded);
    }
  }

  Study finish() {
    std::map<std::pair<std::vector<std::string>, std::string>, Beside> scopes;
    for (const auto& [key, runs] : candidates_) {
      scopes[{key.by, key.source}].emplace_back(key, runs);
    }
    for (const auto& [scope, beside] : scopes) {
      add_groups(beside);
    }
    std::sort(study_.groups.begin(), study_.groups.end(),
              [](const RunGroup& a, const RunGroup& b) { return rank(a) < rank(b); });
    std::stable_sort(study_.excluded.begin(), study_.excluded.end(),
                     [](const ExcludedRun& a, const ExcludedRun& b) { return a.path < b.path; });
    study_.by = std::move(by_);
    return std::move(study_);
  }

 private:
  void sort_in(const LoadedRecord& loaded) {
    const auto& header = loaded.record.header;
    const std::tuple attempt{header.experiment.str(), header.point.str(), header.job_id.str(),
                             header.restart};
    const auto [first, is_new] = attempts_.emplace(attempt, loaded.path);
    auto reason = own_fault(loaded.record);
    if (reason.empty() && has_real_ && header.source.view() == "simulated") {
      reason = "simulated, beside runs that are not";
    }
    if (!is_new) {
      reason = fmt::format("the same attempt as {}", first->second);
    }
    if (reason.empty()) {
      candidates_[key_of(loaded.record, by_)].push_back(&loaded);
    } else {
      study_.excluded.push_back({loaded.path, reason});
    }
  }

  void add_groups(const Beside& beside) {
    const auto sets = shared_sets(beside, by_);
    const auto& common = most_common(sets);
    for (const auto& [key, runs] : beside) {
      const bool has_them = std::ranges::any_of(
          runs, [&](const auto* run) { return identity(run->record, by_) == common; });
      const auto own = has_them || other_ == OtherWork::leave_out
                           ? common
                           : most_common(shared_sets({{key, runs}}, by_));
      add_group(key, runs, own, chosen_of(sets, own));
    }
  }

  void add_group(const GroupKey& key, const Candidates& runs,
                 const run::ParameterValues& parameters, const std::string& chosen) {
    RunGroup group{key.by, key.allocation, key.device, key.source, parameters, chosen};
    for (const auto* run : runs) {
      const auto own = identity(run->record, by_);
      if (own == parameters) {
        group.by_epochs[record::epochs_of(run->record)].push_back(&run->record);
      } else {
        study_.excluded.push_back({run->path, record::difference(own, parameters)});
      }
    }
    if (!group.by_epochs.empty()) {
      study_.groups.push_back(std::move(group));
    }
  }

  std::vector<std::string> by_;
  OtherWork other_;
  bool has_real_ = false;
  std::map<std::tuple<std::string, std::string, std::string, std::int64_t>, std::string> attempts_;
  std::map<GroupKey, Candidates> candidates_;
  Study study_;
};

}  // namespace

const std::vector<const record::Record*>& RunGroup::runs(std::int64_t epochs) const {
  static const std::vector<const record::Record*> none;
  const auto found = by_epochs.find(epochs);
  return found == by_epochs.end() ? none : found->second;
}

std::string RunGroup::label() const {
  auto label = allocation;
  for (const auto& value : by) {
    label += " " + value;
  }
  return source == "measured" ? label : label + " (" + source + ")";
}

std::vector<double> RunGroup::totals_s(std::int64_t epochs) const {
  return mapped(runs(epochs), [](const auto* run) { return total_training_s(*run).value(); });
}

std::optional<Summary> RunGroup::total_s(std::int64_t epochs) const {
  return summarize(totals_s(epochs));
}

std::optional<double> RunGroup::predicted_s(std::int64_t epochs) const {
  const auto one = total_s(1);
  return one && epochs != 1 ? std::optional(one->median * static_cast<double>(epochs))
                            : std::nullopt;
}

std::vector<std::string> RunGroup::hardware_remarks() const {
  std::map<std::string, int> models;
  std::map<std::int64_t, int> cpus;
  std::string libraries;
  for (const auto& [epochs, runs] : by_epochs) {
    for (const auto* run : runs) {
      if (libraries.empty()) {
        libraries = different_libraries(example(), *run);
      }
      ++models[hardware_of(*run)];
      ++cpus[cpus_of(*run)];
    }
  }
  models.erase("");
  std::vector<std::string> remarks;
  const auto add = [&](const char* what, const auto& counts) {
    const auto parts =
        mapped(counts, [](const auto& of) { return fmt::format("{} on {}", of.second, of.first); });
    if (parts.size() > 1) {
      remarks.push_back(
          fmt::format("{}: its runs used different {}: {}", label(), what, join(parts, ", ")));
    }
  };
  add("hardware", models);
  add("numbers of CPUs", cpus);
  if (!libraries.empty()) {
    remarks.push_back(fmt::format("{}: its runs used different libraries: {}", label(), libraries));
  }
  return remarks;
}

Study sort_runs(const std::vector<LoadedRecord>& records, const std::vector<std::string>& by,
                OtherWork other) {
  require_attributes(records, by);
  auto more = by;
  std::erase_if(more,
                [](const std::string& name) { return name == "allocation" || name == "source"; });
  return GroupBuilder(records, std::move(more), other).finish();
}

}  // namespace epochcast::analysis
