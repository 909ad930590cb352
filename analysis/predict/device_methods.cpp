#include "analysis/predict/device_methods.hpp"

#include <algorithm>
#include <functional>

#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/forecast/device/match.hpp"
#include "src/forecast/device/rates.hpp"

namespace epochcast::analysis {
namespace {

void forget_rates_of(std::vector<device::Device>& database, const std::string& origin) {
  for (auto& device : database) {
    for_each_field<device::DeviceFigures>([&](const auto& field) {
      auto& figure = device.figures.*field.member;
      if (field.name.starts_with("achieved_") && figure.source.find(origin) != std::string::npos) {
        figure = {};
      }
    });
  }
}

/// The answers of a rule: a ratio, or nothing.
using RatioRule = std::function<std::optional<device::Ratio>(const DeviceQuestion&)>;

DeviceMethod answers(const std::string& name, const std::vector<DeviceQuestion>& questions,
                     const RatioRule& rule) {
  DeviceMethod method{name};
  for (const auto& question : questions) {
    auto& answer = method.predictions.emplace_back();
    if (const auto ratio = rule(question)) {
      const double value = question.here_s() * ratio->value;
      answer = ratio->width_80 > 0
                   ? forecast::with_log_widths(value, ratio->width_80, ratio->width_95)
                   : forecast::Prediction{value};
    }
  }
  return method;
}

std::optional<device::Ratio> ratio_of_tier(const std::string& tier,
                                           const device::RatioQuestion& question) {
  const auto answer = device::tiers::all().at(tier).ratio(question);
  const auto* ratio = std::get_if<device::Ratio>(&answer);
  return ratio == nullptr ? std::nullopt : std::optional(*ratio);
}

/// Whether some workload was measured at several batch sizes.
bool has_sweeps(const DeviceTimes& times) {
  std::map<std::string, int> count;
  for (const auto& one : times.cases()) {
    ++count[one.measured.workload];
  }
  return std::any_of(count.begin(), count.end(), [](const auto& item) { return item.second > 1; });
}

/// Every tier by rank; references once more with the other batch sizes of the workload, where there
/// are any.
std::vector<DeviceMethod> tier_methods(const DeviceTimes& times, const FileDevices& devices,
                                       const std::vector<DeviceQuestion>& questions) {
  const auto with_references = [&](bool other_workloads) {
    return [&, other_workloads](const DeviceQuestion& question) {
      auto asked = ratio_question(question, devices);
      asked.references = times.references(question.from, question.to, *question.one,
                                          other_workloads, devices.by_name);
      return ratio_of_tier("reference_ratios", asked);
    };
  };
  std::vector<DeviceMethod> methods;
  for (const auto& [name, spec] : device::tiers_by_rank()) {
    if (name != "reference_ratios") {
      methods.push_back(answers(name, questions, [&](const DeviceQuestion& question) {
        return ratio_of_tier(name, ratio_question(question, devices));
      }));
      continue;
    }
    methods.push_back(
        answers("reference_ratios (workload left out)", questions, with_references(true)));
    if (has_sweeps(times)) {
      methods.push_back(
          answers("reference_ratios (batch size left out)", questions, with_references(false)));
    }
  }
  return methods;
}

std::optional<device::Ratio> plain(double value) {
  return device::Ratio{.value = value};
}

/// What people do without us.
std::vector<DeviceMethod> rivals(const DeviceTimes& times, const FileDevices& devices,
                                 const std::vector<DeviceQuestion>& questions) {
  const auto bandwidth = [&](const DeviceQuestion& question) -> std::optional<device::Ratio> {
    const auto asked = ratio_question(question, devices);
    if (asked.from == nullptr || asked.to == nullptr) {
      return std::nullopt;
    }
    const auto& from = asked.from->figures.bandwidth_gb_s;
    const auto& to = asked.to->figures.bandwidth_gb_s;
    return from.known() && to.known() ? plain(from.value / to.value) : std::nullopt;
  };
  const auto counted = [&](const DeviceQuestion& question) -> std::optional<device::Ratio> {
    const auto asked = ratio_question(question, devices);
    const auto& work = asked.measured;
    if (asked.from == nullptr || asked.to == nullptr || !work.work.whole()) {
      return std::nullopt;
    }
    const auto from = device::specified_rates(*asked.from, work.precision, devices.database);
    const auto to = device::specified_rates(*asked.to, work.precision, devices.database);
    return from && to ? plain(device::ratio_of(*from, *to, work.work)) : std::nullopt;
  };
  const auto median = [&](const DeviceQuestion& question) -> std::optional<device::Ratio> {
    std::vector<double> ratios;
    for (const auto& one :
         times.references(question.from, question.to, *question.one, true, devices.by_name)) {
      ratios.push_back(one.ratio);
    }
    return ratios.empty() ? std::nullopt : plain(quantile(ratios, 0.5));
  };
  return {answers("median ratio of other workloads", questions, median),
          answers("datasheets weighted by counted FLOPs and bytes", questions, counted),
          answers("bandwidth ratio", questions, bandwidth),
          answers("the same time", questions, [](const DeviceQuestion&) { return plain(1); })};
}

}  // namespace

device::RatioQuestion ratio_question(const DeviceQuestion& question, const FileDevices& devices) {
  return {.measured = question.one->on(question.from),
          .batch_there = question.one->on(question.to).batch,
          .from = devices.by_name.at(question.from),
          .to = devices.by_name.at(question.to),
          .database = &devices.database};
}

std::vector<DeviceQuestion> questions_of(const DeviceTimes& times) {
  std::vector<DeviceQuestion> questions;
  for (const auto& from : times.devices()) {
    for (const auto& to : times.devices()) {
      for (const auto& one : times.cases()) {
        if (from != to && one.has(from) && one.has(to)) {
          questions.push_back({&one, from, to});
        }
      }
    }
  }
  return questions;
}

FileDevices devices_of(const DeviceTimes& times, const std::string& origin) {
  FileDevices devices{.database = device::read_device_database(device::device_database_folder())};
  if (!origin.empty()) {
    forget_rates_of(devices.database, origin);
    devices.notes.push_back("achieved rates that come from " + origin + " are not used on it");
  }
  for (const auto& name : times.devices()) {
    const auto match = device::match_device(devices.database, {.name = name});
    devices.by_name[name] = match.device;
    if (!match.remark.empty()) {
      devices.notes.push_back(match.remark);
    }
  }
  return devices;
}

std::vector<DeviceMethod> device_methods(const DeviceTimes& times, const FileDevices& devices,
                                         const std::vector<DeviceQuestion>& questions) {
  auto methods = tier_methods(times, devices, questions);
  append(methods, rivals(times, devices, questions));
  return methods;
}

}  // namespace epochcast::analysis
