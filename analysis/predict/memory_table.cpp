#include "analysis/predict/memory_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "analysis/predict/prediction_columns.hpp"
#include "analysis/records/record_metrics.hpp"
#include "src/forecast/efficiency/job_use.hpp"
#include "src/forecast/memory/memory_law.hpp"

namespace epochcast::analysis {
namespace {

using forecast::StepSetting;

constexpr double gigabyte = 1e9;
constexpr TimeUnit in_gigabytes{"GB", 1 / gigabyte, 3};  // of bytes

struct MemoryRow {
  std::string what;
  std::optional<forecast::Prediction> bytes = {};
  std::string verdict = {};
  std::optional<std::int64_t> largest_batch = {};
};

memory::MemorySetting memory_setting(const StepSetting& at) {
  return {.batch = at.batch, .length = at.input_length};
}

/// The activations of a sample by parameters, of the networks of the runs; empty if they are not
/// counted, or if they differ in the length too.
std::map<double, double> activations_of(const SurfaceSettings& recorded) {
  std::map<double, double> by_parameters;
  for (const auto& run : recorded.runs) {
    const auto& work = run.loaded->record.work.front();
    if (!(work.bytes_per_sample > 0) ||
        run.setting.input_length != recorded.runs.front().setting.input_length) {
      return {};
    }
    by_parameters[static_cast<double>(work.parameter_count)] = work.bytes_per_sample;
  }
  return by_parameters;
}

/// Straight in the logarithms, between the two networks nearest to it and beyond them.
double activations_at(const std::map<double, double>& of_networks, double parameters) {
  if (of_networks.empty()) {
    return 1;
  }
  auto above = of_networks.lower_bound(parameters);
  if (above != of_networks.end() && above->first == parameters) {
    return above->second;
  }
  if (of_networks.size() == 1) {
    return of_networks.begin()->second;
  }
  above = above == of_networks.end()     ? std::prev(above)
          : above == of_networks.begin() ? std::next(above)
                                         : above;
  const auto& [size, activations] = *std::prev(above);
  return activations * std::pow(above->second / activations,
                                std::log(parameters / size) / std::log(above->first / size));
}

double processes_per_node(const StepSetting& at) {
  return std::ceil(at.workers / at.nodes);
}

/// Of a process of each run, or of a GPU; runs without one are left out. `networks`: their
/// activations, if the networks may differ.
std::vector<memory::SettingPeak> peaks_of(const SurfaceSettings& recorded, bool of_gpu,
                                          const std::map<double, double>* networks) {
  std::vector<memory::SettingPeak> peaks;
  for (const auto& run : recorded.runs) {
    const auto peak = efficiency::peak_memory(run.loaded->record);
    const double sharing = of_gpu ? 1 : processes_per_node(run.setting);
    if (const auto bytes = of_gpu ? peak.gpu_bytes : peak.node_bytes; bytes && *bytes > 0) {
      auto setting = memory_setting(run.setting);
      if (networks != nullptr) {
        setting.parameters = static_cast<double>(run.loaded->record.work.front().parameter_count);
        setting.activations = activations_at(*networks, setting.parameters);
      }
      peaks.push_back({setting, *bytes / sharing});
    }
  }
  return peaks;
}

/// A datasheet's GB are about what the driver reports as bytes (match.cpp).
void judge_fit(const device::Device& device, const memory::MemoryLaw& law,
               const memory::MemorySetting& asked, MemoryRow& row) {
  const double limit = device.figures.memory_gb.value * gigabyte;
  const auto& [low, high] = row.bytes->interval_95;
  row.verdict = fmt::format("{}: {:.3g} to {:.3g} GB of {:g}",
                            high <= limit  ? "fits"
                            : low <= limit ? "may not fit"
                                           : "does not fit",
                            low / gigabyte, high / gigabyte, limit / gigabyte);
  if (high > limit) {
    row.largest_batch = law.largest_batch(asked, limit);
    row.verdict += row.largest_batch ? "" : "; no batch is known to fit";
  }
}

/// Adds the row, or a note why there is none.
void add_row(std::vector<memory::SettingPeak> peaks, const memory::MemorySetting& asked,
             double processes, const device::Device* device, bool of_gpu,
             std::vector<MemoryRow>& rows, std::vector<std::string>& notes) {
  const auto fitted = memory::MemoryLaw::fit(std::move(peaks));
  MemoryRow row{of_gpu ? "of a GPU" : "of a node"};
  const auto refuse = [&](const forecast::Refusal& why) {
    notes.push_back(fmt::format("{}: refused: {}", row.what, why.reason));
  };
  if (const auto* refusal = std::get_if<forecast::Refusal>(&fitted)) {
    return refuse(*refusal);
  }
  const auto& law = std::get<memory::MemoryLaw>(fitted);
  const auto answer = law.forecast(asked);
  if (const auto* refusal = std::get_if<forecast::Refusal>(&answer)) {
    return refuse(*refusal);
  }
  row.bytes = std::get<forecast::Prediction>(answer) * (of_gpu ? 1 : processes);
  if (of_gpu && device != nullptr && device->figures.memory_gb.known()) {
    judge_fit(*device, law, asked, row);
  }
  rows.push_back(row);
}

}  // namespace

Answers memory_at(const SurfaceSettings& recorded, const StepSetting& asked,
                  const device::Device* device, double parameters) {
  std::vector<MemoryRow> rows;
  std::vector<std::string> notes;
  auto setting = memory_setting(asked);
  std::map<double, double> networks;
  if (parameters > 0) {
    networks = activations_of(recorded);
    setting.parameters = parameters;
    setting.activations = activations_at(networks, parameters);
  }
  for (const bool of_gpu : {false, true}) {
    if (auto peaks = peaks_of(recorded, of_gpu, parameters > 0 ? &networks : nullptr);
        !peaks.empty()) {
      add_row(std::move(peaks), setting, processes_per_node(asked), device, of_gpu, rows, notes);
    } else if (of_gpu && device != nullptr) {
      notes.emplace_back(
          "of a GPU: refused: no run has samples of the memory of one; give runs on a GPU with "
          "telemetry");
    }
  }
  if (rows.empty() && notes.empty()) {
    return {};
  }
  if (device != nullptr) {
    notes.emplace_back(
        "of a GPU: what all processes held on it, with the context of its driver, which on another "
        "device may be some hundred MB more or less");
  }
  if (std::ranges::any_of(recorded.runs, [](const SettingRun& run) {
        return run.loaded->record.header.source.view() == "simulated";
      })) {
    notes.emplace_back("records that are simulated were used");
  }
  table::Columns<MemoryRow> columns{{"memory", "memory", &MemoryRow::what}};
  columns.add(prediction_columns("most", "most at once", in_gigabytes), &MemoryRow::bytes);
  if (device != nullptr) {
    columns.add({"fits", "on " + device->name, &MemoryRow::verdict})
        .add({"largest_batch", "largest batch that fits", "", 0, &MemoryRow::largest_batch});
  }
  const auto title = fmt::format(
      "Memory{} at a batch size of {:g}{}",
      parameters > 0 ? fmt::format(" of a network of {:.0f} parameters", parameters) : "",
      asked.batch,
      asked.input_length > 1 ? fmt::format(" and {:g} tokens", asked.input_length) : "");
  const auto forecasts = static_cast<std::size_t>(std::ranges::count_if(
      rows, [&](const MemoryRow& row) { return device == nullptr || !row.verdict.empty(); }));
  return {{table::make_table("memory", title, columns, rows, std::move(notes))}, forecasts};
}

}  // namespace epochcast::analysis
