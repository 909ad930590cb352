#include "analysis/table_parts/ratios.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/records/record_metrics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/device/match.hpp"
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

/// Both tables: what is promised, for how many epochs it was observed, what was observed, and how
/// far off it was.
std::vector<table::Column> ratio_columns(std::string promised_key, std::string promised_heading) {
  auto error = table::number_column("error_percent", "error", "%", 1);
  error.always_sign = true;
  return {table::text_column("fast", "faster"),
          table::text_column("slow", "slower"),
          table::number_column(std::move(promised_key), std::move(promised_heading), ": 1", 2),
          table::number_column("epochs", "epochs", "", 0),
          table::number_column("observed_ratio", "observed", ": 1", 3),
          error};
}

/// The cells under ratio_columns().
table::Row ratio_row(const RunGroup& fast, const RunGroup& slow, std::optional<double> promised) {
  const auto epochs = most_epochs(fast, slow);
  table::Row row{fast.label(),  slow.label(),  table::cell_of(promised),
                 table::Cell(), table::Cell(), table::Cell()};
  if (epochs) {
    const double observed = slow.total_s(*epochs)->median / fast.total_s(*epochs)->median;
    row[3] = static_cast<double>(*epochs);
    row[4] = observed;
    row[5] = promised ? table::Cell((*promised / observed - 1) * 100) : table::Cell();
  }
  return row;
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

void add_pair(table::Table& table, std::vector<std::string>& alternatives, const Rated& fast,
              const Rated& slow) {
  auto& row =
      table.rows.emplace_back(ratio_row(*fast.group, *slow.group, promised_ratio(fast, slow)));
  row.emplace_back(fast.peak.precision == slow.peak.precision
                       ? fast.peak.precision
                       : fast.peak.precision + " : " + slow.peak.precision);
  add_alternatives(alternatives, fast, fast, slow);
  add_alternatives(alternatives, slow, fast, slow);
}

/// A ratio between different versions of a library is not one of the devices alone.
void add_libraries(table::Table& table, const RunGroup& fast, const RunGroup& slow) {
  if (const auto libraries = different_libraries(fast.example(), slow.example());
      !libraries.empty()) {
    table::add_note(table, fmt::format("{} : {}: different libraries ({}), so the ratio is not of "
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
  table::Table table{.name = "gpu_ratios",
                     .title = "GPU speed ratios: from FLOPS and observed",
                     .columns = ratio_columns("flops_ratio", "from FLOPS")};
  table.columns.push_back(table::text_column("precision", "precision"));
  std::vector<Rated> groups;
  for (const auto& group : study.groups) {
    if (used_gpu(group.example())) {
      groups.push_back(rated(group, database));
    } else if (group.device != "cpu") {
      table.notes.push_back(fmt::format("{} ran on {}: excluded from the ratios of GPUs",
                                        group.allocation, group.device));
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Rated& a, const Rated& b) {
    return a.peak.tflops.value > b.peak.tflops.value;
  });
  std::vector<std::string> alternatives;
  for (auto fast = groups.begin(); fast != groups.end(); ++fast) {
    for (auto slow = fast + 1; slow != groups.end(); ++slow) {
      if (!are_beside(*fast->group, *slow->group)) {
        continue;
      }
      if (auto why = no_ratio(*fast->group, *slow->group); !why.empty()) {
        table.notes.push_back(std::move(why));
      } else {
        add_pair(table, alternatives, *fast, *slow);
        add_libraries(table, *fast->group, *slow->group);
      }
    }
  }
  for (const auto& group : groups) {
    add_notes(table.notes, table.rows.empty() ? std::vector<std::string>{} : notes_of(group));
  }
  add_notes(table.notes, alternatives);
  return table;
}

table::Table cpu_ratios(const Study& study) {
  table::Table table{.name = "cpu_ratios",
                     .title = "CPU speed ratios: from the number of CPUs and observed",
                     .columns = ratio_columns("cpu_ratio", "from CPUs")};
  for (const auto& group : study.groups) {
    if (group.device != "cpu" || &first_beside(study, group, false) == &group) {
      continue;
    }
    if (auto why = no_cpu_ratio(study, group); !why.empty()) {
      table.notes.push_back(std::move(why));
      continue;
    }
    const auto& smallest = first_beside(study, group, true);
    const auto few = static_cast<double>(cpus_of(smallest.example()));
    const auto many = static_cast<double>(cpus_of(group.example()));
    table.rows.push_back(
        ratio_row(group, smallest, few > 0 ? std::optional(many / few) : std::nullopt));
    add_libraries(table, group, smallest);
  }
  return table;
}

}  // namespace epochcast::analysis
