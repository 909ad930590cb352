#include "src/measure/telemetry/cpu_times.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include "src/measure/telemetry/files.hpp"

namespace epochcast::telemetry {
namespace {

// The columns of a line "cpu0 1 2 3 4 5 6 7 8" after its name.
enum Column : std::size_t { user, nice, system_time, idle, io_wait, irq, soft_irq, steal, columns };

/// The numbers of a line; columns that an old kernel does not have are 0.
std::array<double, columns> line_numbers(std::string_view line) {
  std::array<double, columns> numbers{};
  for (auto& number : numbers) {
    while (!line.empty() && line.front() == ' ') {
      line.remove_prefix(1);
    }
    std::uint64_t ticks = 0;
    const auto end = std::from_chars(line.data(), line.data() + line.size(), ticks).ptr;
    number = static_cast<double>(ticks);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  return numbers;
}

}  // namespace

std::map<int, CpuTimes> read_cpu_times(const std::filesystem::path& root, double ticks_per_s) {
  const auto text = read_small_file(root / "proc/stat");
  std::map<int, CpuTimes> cpus;
  bool counts = false;
  for (std::string_view rest = text; rest.starts_with("cpu");) {  // these lines come first
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    int cpu = 0;
    const auto [after, error] = std::from_chars(line.data() + 3, line.data() + line.size(), cpu);
    if (error != std::errc{}) {  // "cpu ": the sum of all
      continue;
    }
    const auto ticks = line_numbers(line.substr(static_cast<std::size_t>(after - line.data())));
    for (const double number : ticks) {
      counts = counts || number > 0;
    }
    cpus[cpu] = {(ticks[user] + ticks[nice] + ticks[system_time]) / ticks_per_s,
                 (ticks[irq] + ticks[soft_irq]) / ticks_per_s, ticks[steal] / ticks_per_s};
  }
  return counts ? cpus : std::map<int, CpuTimes>{};
}

}  // namespace epochcast::telemetry
