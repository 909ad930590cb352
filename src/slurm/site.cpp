#include "src/slurm/site.hpp"

#include <algorithm>

#include "src/core/text.hpp"
#include "src/process/command.hpp"
#include "src/slurm/queue.hpp"

namespace epochcast::slurm {
namespace {

/// "192000+" (nodes that are not all alike) counts as its smallest, 192000.
std::int64_t at_least(std::string_view text) {
  return parse_integer(text.substr(0, text.find('+'))).value_or(0);
}

Partition& partition_called(std::vector<Partition>& partitions, const std::string& name) {
  const auto found = std::find_if(partitions.begin(), partitions.end(),
                                  [&](const Partition& p) { return p.name == name; });
  if (found != partitions.end()) {
    return *found;
  }
  partitions.push_back({name, false, -1, {}});
  return partitions.back();
}

}  // namespace

std::vector<GpuKind> parse_gres(std::string_view text) {
  std::vector<GpuKind> gpus;
  for (const auto& entry : split(text, ',')) {
    const auto parts = split(entry.substr(0, entry.find('(')), ':');
    if (parts.size() >= 2 && parts[0] == "gpu") {
      gpus.push_back({parts.size() == 3 ? parts[1] : "", parse_integer(parts.back()).value_or(0)});
    }
  }
  return gpus;
}

std::vector<Partition> parse_site(std::string_view text) {
  std::vector<Partition> partitions;
  for (const auto& line : split(text, '\n')) {
    auto cells = split(line, '|');
    if (cells.size() != 8) {
      continue;
    }
    const bool is_default = cells[0].ends_with('*');
    auto& partition =
        partition_called(partitions, cells[0].substr(0, cells[0].size() - (is_default ? 1 : 0)));
    partition.is_default = is_default;
    partition.max_time_s = parse_slurm_time(cells[1]);
    partition.kinds.push_back(
        {at_least(cells[5]), at_least(cells[2]), at_least(cells[3]),
         std::max<std::int64_t>(1, at_least(cells[6])), parse_gres(cells[4]),
         cells[7] == "(null)" ? std::vector<std::string>{} : split(cells[7], ',')});
  }
  return partitions;
}

Site ask_site(double timeout_s) {
  const auto answer =
      process::run_command({"sinfo", "-h", "-o", "%P|%l|%c|%m|%G|%D|%Z|%f"}, timeout_s);
  if (!answer.ok()) {
    return {false,
            answer.timed_out ? "no answer in time" : first_line(answer.err + "\n" + answer.out),
            {}};
  }
  return {true, "", parse_site(answer.out)};
}

}  // namespace epochcast::slurm
