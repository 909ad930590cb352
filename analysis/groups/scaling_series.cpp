#include "analysis/groups/scaling_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/records/record_metrics.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/record/comparable.hpp"
#include "src/record/run/short_names.hpp"

namespace epochcast::analysis {
namespace {

constexpr std::string_view speedup_metric = "speedup";

/// In samples a second, or relative where only that was published.
std::optional<double> throughput_of(const record::Record& record) {
  if (const auto speedup = last_metric(record, speedup_metric)) {
    return speedup;
  }
  return steady_samples_per_s(record);
}

/// What the runs of a family have in common; its records are compared with each other.
struct Family {
  std::vector<std::string> by;
  std::string source;
  bool on_gpus;
  std::string hardware;
  run::ParameterValues parameters;
  auto operator<=>(const Family&) const = default;
};

Family family_of(const record::Record& record, const std::vector<std::string>& by) {
  auto parameters = step_parameters(record);
  parameters.erase("batch");
  for (const auto& name : by) {
    parameters.erase(name);
  }
  return {.by = attributes(record, by),
          .source = record.header.source.str(),
          .on_gpus = used_gpu(record),
          .hardware = hardware_of(record),
          .parameters = std::move(parameters)};
}

/// CPUs count where there is one process only: its threads are the workers.
WorkerKind kind_of(const std::vector<const LoadedRecord*>& runs) {
  if (used_gpu(runs.front()->record)) {
    return WorkerKind::gpus;
  }
  const bool alone =
      std::ranges::all_of(runs, [](const auto* run) { return ranks_of(run->record) == 1; });
  return alone ? WorkerKind::cpus : WorkerKind::processes;
}

double workers_of(const record::Record& record, WorkerKind kind) {
  return static_cast<double>(kind == WorkerKind::cpus ? cpus_of(record) : ranks_of(record));
}

void add(std::vector<ScalingRuns>& points, const record::Record& record, double workers) {
  const auto nodes = static_cast<double>(nodes_of(record));
  const auto found = std::ranges::find_if(points, [&](const ScalingRuns& point) {
    return point.workers == workers && point.nodes == nodes;
  });
  auto& point =
      found != points.end()
          ? *found
          : points.emplace_back(ScalingRuns{workers, nodes, record.header.allocation.str(), {}});
  point.runs.push_back(&record);
}

bool scales(const std::vector<ScalingRuns>& points) {
  return std::ranges::any_of(
      points, [&](const ScalingRuns& point) { return point.workers != points.front().workers; });
}

/// The runs by what each worker is: processes of one thread are not compared with those of two.
std::map<std::int64_t, std::vector<const LoadedRecord*>> alike(
    const std::vector<const LoadedRecord*>& runs, WorkerKind kind) {
  std::map<std::int64_t, std::vector<const LoadedRecord*>> groups;
  for (const auto* run : runs) {
    const bool counts = kind == WorkerKind::processes;
    groups[counts ? cpus_of(run->record) / ranks_of(run->record) : 0].push_back(run);
  }
  return groups;
}

/// Splits families into series and names the runs that are in none.
class Splitter {
 public:
  explicit Splitter(ScalingStudy& study) : study_(study) {}

  void split(const Family& family, const std::vector<const LoadedRecord*>& runs) {
    const auto kind = kind_of(runs);
    const auto groups = alike(runs, kind);
    for (const auto& [threads, of_one_kind] : groups) {
      auto parameters = family.parameters;
      if (groups.size() > 1) {
        parameters["threads"] = std::to_string(threads);  // of each process
      }
      std::set<const LoadedRecord*> placed;
      for (const auto growth : {ScalingSeries::Growth::weak, ScalingSeries::Growth::strong}) {
        add_series({growth, kind, 0, family.by, family.source, parameters}, of_one_kind, placed);
      }
      leave_out(of_one_kind, placed, kind);
    }
  }

 private:
  void add_series(const ScalingSeries& empty, const std::vector<const LoadedRecord*>& runs,
                  std::set<const LoadedRecord*>& placed) {
    std::map<double, std::vector<const LoadedRecord*>> by_samples;
    for (const auto* run : runs) {
      const bool weak = empty.growth == ScalingSeries::Growth::weak;
      const double sharers = weak ? workers_of(run->record, empty.kind) : 1;
      by_samples[samples_per_step(run->record) / sharers].push_back(run);
    }
    for (const auto& [samples, equal] : by_samples) {
      auto series = empty;
      series.samples = samples;
      for (const auto* run : equal) {
        add(series.points, run->record, workers_of(run->record, series.kind));
      }
      if (scales(series.points)) {
        std::ranges::sort(series.points, {}, [](const ScalingRuns& point) {
          return std::pair(point.nodes, point.workers);
        });
        placed.insert(equal.begin(), equal.end());
        study_.series.push_back(std::move(series));
      }
    }
  }

  void leave_out(const std::vector<const LoadedRecord*>& runs,
                 const std::set<const LoadedRecord*>& placed, WorkerKind kind) {
    for (const auto* run : runs) {
      if (!placed.contains(run)) {
        study_.excluded.push_back(
            {run->path,
             fmt::format("no run on the same hardware that differs only in the number of "
                         "{} and the batch that goes with it",
                         to_text(kind))});
      }
    }
  }

  ScalingStudy& study_;
};

/// Names the series by what they compute where that is not the same of all, and orders them by it.
void tell_apart(std::vector<ScalingSeries>& series) {
  const auto works = mapped(series, [](const auto& one) {
    return run::NamedWork{one.source, one.parameters};
  });
  const auto names = run::short_names(works, {});
  for (std::size_t i = 0; i < series.size(); ++i) {
    series[i].work = std::ranges::count(names, names[i]) < std::ssize(names) ? names[i] : "";
  }
  std::ranges::stable_sort(series, {}, [](const ScalingSeries& one) {
    return std::tuple(natural_keys(one.by), one.source, natural_key(one.work));
  });
}

std::string fault(const record::Record& record) {
  if (auto own = fault_of(record); !own.empty()) {
    return own;
  }
  if (!(samples_per_step(record) > 0)) {
    return "does not state its samples per step";
  }
  if (!throughput_of(record)) {
    return "no epoch and no iterations after the first ones, so no throughput";
  }
  return "";
}

}  // namespace

bool is_relative(const record::Record& record) {
  return last_metric(record, speedup_metric).has_value();
}

std::vector<double> ScalingRuns::throughputs() const {
  return mapped(runs, [](const auto* run) { return throughput_of(*run).value(); });
}

Summary ScalingRuns::throughput() const {
  return summarize(throughputs()).value();
}

std::string ScalingSeries::name() const {
  const auto text = growth == Growth::weak ? fmt::format("weak, {:g} each", samples)
                                           : fmt::format("strong, {:g} in all", samples);
  return work.empty() ? text : text + ", " + work;
}

const ScalingRuns& ScalingSeries::base() const {
  return *std::ranges::min_element(
      points, {}, [](const ScalingRuns& point) { return std::pair(point.workers, point.nodes); });
}

std::vector<forecast::ScalingPoint> ScalingSeries::all_points() const {
  std::vector<forecast::ScalingPoint> all;
  for (const auto& point : points) {
    for (const double throughput : point.throughputs()) {
      all.push_back({point.workers, throughput, point.nodes});
    }
  }
  return all;
}

ScalingStudy scaling_study(const std::vector<LoadedRecord>& records,
                           const std::vector<std::string>& by) {
  require_attributes(records, by);
  ScalingStudy study;
  std::map<Family, std::vector<const LoadedRecord*>> families;
  for (const auto& loaded : records) {
    if (const auto why = fault(loaded.record); !why.empty()) {
      study.excluded.push_back({loaded.path, why});
    } else {
      families[family_of(loaded.record, by)].push_back(&loaded);
    }
  }
  Splitter splitter(study);
  for (const auto& [family, runs] : families) {
    splitter.split(family, runs);
  }
  tell_apart(study.series);
  return study;
}

}  // namespace epochcast::analysis
