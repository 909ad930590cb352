#include "analysis/table_parts/ratios.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/records/record_metrics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/device/match.hpp"
#include "src/output/table/make_table.hpp"
#include "src/record/comparable.hpp"

namespace epochcast::analysis {
namespace {

/// A group of runs and the entry of its GPU in the device database.
struct Rated {
  const RunGroup* group;
  device::DeviceMatch match = {};
  std::string precision = {};  ///< As recorded; empty: it was not.
  device::Peak peak = {};      ///< Not known where no device matches.
};

/// Puts `device` in the place of the one that was matched.
void take_as(device::DeviceMatch& match, const device::Device& device) {
  if (match.device != nullptr) {
    match.others.push_back(match.device);
  }
  std::erase(match.others, &device);
  match.device = &device;
}

Rated rated(const RunGroup& group, const std::vector<device::Device>& database) {
  const auto& record = group.example();
  Rated result{.group = &group};
  result.match = device::match_device(database, gpu_of(record));
  if (const auto taken_as = record::parameter(record, "taken_as"); !taken_as.empty()) {
    take_as(result.match, device::find_device(database, taken_as));
    result.match.remark =
        fmt::format("'{}' is taken as {}, as in its source", gpu_of(record).name, taken_as);
  }
  result.precision = record.work.empty() ? "" : record.work.front().precision.str();
  if (result.match.device != nullptr) {
    result.peak = device::peak_for(*result.match.device, result.precision);
  }
  return result;
}

/// The largest number of epochs that both have runs of, or nothing.
std::optional<std::int64_t> most_epochs(const RunGroup& a, const RunGroup& b) {
  for (auto runs = a.by_epochs.rbegin(); runs != a.by_epochs.rend(); ++runs) {
    if (b.by_epochs.contains(runs->first)) {
      return runs->first;
    }
  }
  return std::nullopt;
}

/// How many times as fast one group is as another.
struct RatioRow {
  std::string fast;
  std::string slow;
  std::optional<double> promised;
  std::optional<std::int64_t> epochs = {};  ///< Of the runs that were observed.
  std::optional<double> observed = {};
  std::string precision = {};

  std::optional<double> error_percent() const {
    return promised && observed ? std::optional((*promised / *observed - 1) * 100) : std::nullopt;
  }
};

RatioRow ratio_row(const RunGroup& fast, const RunGroup& slow, std::optional<double> promised) {
  RatioRow row{fast.label(), slow.label(), promised, most_epochs(fast, slow)};
  if (row.epochs) {
    row.observed = slow.total_s(*row.epochs)->median / fast.total_s(*row.epochs)->median;
  }
  return row;
}

table::Columns<RatioRow> ratio_columns(const std::string& promised_key,
                                       const std::string& promised_heading) {
  return {{"fast", "faster", &RatioRow::fast},
          {"slow", "slower", &RatioRow::slow},
          {promised_key, promised_heading, ": 1", 2, &RatioRow::promised},
          {"epochs", "epochs", "", 0, &RatioRow::epochs},
          {"observed_ratio", "observed", ": 1", 3, &RatioRow::observed},
          {"error_percent", "error", "%", 1, &RatioRow::error_percent, table::with_sign}};
}

std::string source_of(const Rated& rated) {
  return rated.peak.tflops.source + (rated.peak.tflops.checked ? "" : " (not checked)");
}

/// What was assumed of a group's GPU.
std::vector<std::string> notes_of(const Rated& rated) {
  std::vector<std::string> notes;
  const auto& name = rated.group->allocation;
  if (!rated.match.remark.empty()) {
    notes.push_back(fmt::format("{}: {}", name, rated.match.remark));
  }
  if (rated.match.device != nullptr) {
    notes.push_back(fmt::format("{}: {} TFLOPS {} of {}; source: {}", name,
                                format_shortest(rated.peak.tflops.value), rated.peak.precision,
                                rated.match.device->label, source_of(rated)));
    if (rated.precision.empty()) {
      notes.push_back(fmt::format("{}: precision not recorded; fp32 assumed", name));
    }
  }
  return notes;
}

std::optional<double> promised_ratio(const Rated& fast, const Rated& slow) {
  if (!fast.peak.tflops.known() || !slow.peak.tflops.known()) {
    return std::nullopt;
  }
  return fast.peak.tflops.value / slow.peak.tflops.value;
}

/// The ratio that each other device would promise which `varied` may be.
void add_alternatives(std::vector<std::string>& notes, const Rated& varied, const Rated& fast,
                      const Rated& slow) {
  for (const auto* candidate : varied.match.others) {
    auto alternative = varied;
    alternative.peak = device::peak_for(*candidate, varied.precision);
    const auto ratio = promised_ratio(&varied == &fast ? alternative : fast,
                                      &varied == &slow ? alternative : slow);
    if (ratio) {
      notes.push_back(fmt::format("{} : {} would be {} : 1 from FLOPS were {} {} ({} TFLOPS {})",
                                  fast.group->allocation, slow.group->allocation,
                                  format_fixed(*ratio, 2), varied.group->allocation,
                                  candidate->label, format_shortest(alternative.peak.tflops.value),
                                  alternative.peak.precision));
    }
  }
}

bool are_beside(const RunGroup& a, const RunGroup& b) {
  return a.by == b.by && a.source == b.source;
}

/// Why two groups beside each other differ in more than the hardware; "": in nothing else.
std::string no_ratio(const RunGroup& a, const RunGroup& b) {
  return a.parameters == b.parameters ? ""
                                      : fmt::format("{}, {}: no ratio: {}", a.label(), b.label(),
                                                    record::difference(a.parameters, b.parameters));
}

/// A ratio between different versions of a library is not one of the devices alone.
void add_libraries(std::vector<std::string>& notes, const RunGroup& fast, const RunGroup& slow) {
  if (const auto libraries = different_libraries(fast.example(), slow.example());
      !libraries.empty()) {
    notes.push_back(
        fmt::format("{} : {}: different libraries ({}), so the ratio is not of "
                    "the allocations alone",
                    fast.label(), slow.label(), libraries));
  }
}

void add_notes(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

/// The first CPU group beside `group`, which may be itself.
const RunGroup& first_beside(const Study& study, const RunGroup& group, bool same_cpus) {
  return *std::ranges::find_if(study.groups, [&](const RunGroup& other) {
    return other.device == "cpu" && are_beside(group, other) &&
           (!same_cpus || hardware_of(group.example()) == hardware_of(other.example()));
  });
}

/// Why there is no ratio to the smallest, which it is not itself; "": there is one.
std::string no_cpu_ratio(const Study& study, const RunGroup& group) {
  const auto& smallest = first_beside(study, group, true);
  if (&smallest != &group) {
    return no_ratio(group, smallest);
  }
  const auto cpus = hardware_of(group.example());
  return fmt::format("{}: no ratio: {} has other CPUs{}", group.label(),
                     first_beside(study, group, false).label(),
                     cpus.empty() ? "" : fmt::format(" than these ({})", cpus));
}

}  // namespace

table::Table gpu_ratios(const Study& study, const std::vector<device::Device>& database) {
  std::vector<Rated> groups;
  std::vector<std::string> notes;
  for (const auto& group : study.groups) {
    if (used_gpu(group.example())) {
      groups.push_back(rated(group, database));
    } else if (group.device != "cpu") {
      notes.push_back(fmt::format("{} ran on {}: excluded from the ratios of GPUs",
                                  group.allocation, group.device));
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Rated& a, const Rated& b) {
    return a.peak.tflops.value > b.peak.tflops.value;
  });
  std::vector<RatioRow> rows;
  std::vector<std::string> alternatives;
  for (auto fast = groups.begin(); fast != groups.end(); ++fast) {
    for (auto slow = fast + 1; slow != groups.end(); ++slow) {
      if (!are_beside(*fast->group, *slow->group)) {
        continue;
      }
      if (auto why = no_ratio(*fast->group, *slow->group); !why.empty()) {
        notes.push_back(std::move(why));
        continue;
      }
      auto& row =
          rows.emplace_back(ratio_row(*fast->group, *slow->group, promised_ratio(*fast, *slow)));
      row.precision = fast->peak.precision == slow->peak.precision
                          ? fast->peak.precision
                          : fast->peak.precision + " : " + slow->peak.precision;
      add_alternatives(alternatives, *fast, *fast, *slow);
      add_alternatives(alternatives, *slow, *fast, *slow);
      add_libraries(notes, *fast->group, *slow->group);
    }
  }
  for (const auto& group : groups) {
    add_notes(notes, rows.empty() ? std::vector<std::string>{} : notes_of(group));
  }
  add_notes(notes, alternatives);
  auto columns = ratio_columns("flops_ratio", "from FLOPS");
  columns.add({"precision", "precision", &RatioRow::precision});
  return table::make_table("gpu_ratios", "GPU speed ratios: from FLOPS and observed", columns, rows,
                           notes);
}

table::Table cpu_ratios(const Study& study) {
  std::vector<RatioRow> rows;
  std::vector<std::string> notes;
  for (const auto& group : study.groups) {
    if (group.device != "cpu" || &first_beside(study, group, false) == &group) {
      continue;
    }
    if (auto why = no_cpu_ratio(study, group); !why.empty()) {
      notes.push_back(std::move(why));
      continue;
    }
    const auto& smallest = first_beside(study, group, true);
    const auto few = static_cast<double>(cpus_of(smallest.example()));
    const auto many = static_cast<double>(cpus_of(group.example()));
    rows.push_back(ratio_row(group, smallest, few > 0 ? std::optional(many / few) : std::nullopt));
    add_libraries(notes, group, smallest);
  }
  return table::make_table("cpu_ratios", "CPU speed ratios: from the number of CPUs and observed",
                           ratio_columns("cpu_ratio", "from CPUs"), rows, notes);
}

}  // namespace epochcast::analysis
