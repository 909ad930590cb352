#include "jobs/script/sbatch_header.hpp"

#include <fmt/format.h>

#include <cmath>

#include "src/base/core/error.hpp"
#include "src/base/core/quantity.hpp"
#include "src/forecast/efficiency/job_use.hpp"

namespace epochcast::jobs {
namespace {

void sbatch_line(Lines& lines, std::string_view option, std::string_view value) {
  if (!value.empty()) {
    lines.add("#SBATCH --{}={}", option, sbatch_quote(value));
  }
}

/// Whole MiB, rounded up, in the largest unit without a remainder.
std::string slurm_memory(double bytes) {
  const auto mebibytes = static_cast<std::int64_t>(std::ceil(bytes / mebibyte));
  return mebibytes % 1024 == 0 ? fmt::format("{}G", mebibytes / 1024)
                               : fmt::format("{}M", mebibytes);
}

bool is_per_cpu(const AllocationProfile& site) {
  return site.launch.memory_flag == "mem-per-cpu";
}

/// Of a node, or of a CPU of it where the site counts so.
double bytes_in_option(const AllocationProfile& site, Bytes memory) {
  const auto cpus = is_per_cpu(site) ? site.asks.cpus * site.asks.tasks_per_node : 1;
  return static_cast<double>(memory.value) / static_cast<double>(cpus);
}

void memory_line(Lines& lines, const AllocationProfile& site) {
  const auto option = site.whole_memory ? "mem=0" : memory_option(site, site.asks.memory);
  if (!option.empty()) {
    lines.add("#SBATCH --{}", option);
  }
}

/// The GPUs in the form that the site accepts, with other generic resources, and the features,
/// which may name the GPU.
void gpu_lines(Lines& lines, const AllocationProfile& site) {
  const auto& asks = site.asks;
  const auto& form = site.launch.gpu_flag;
  const bool of_job = form == "gpus-total";
  const auto count = of_job ? run::gpus_of(asks) : run::gpus_on_node(asks);
  const bool typed = !asks.gpu.empty() && form != "constraint" && site.launch.gpu_typed;
  const auto typed_count = typed ? fmt::format("{}:{}", asks.gpu, count) : std::to_string(count);
  auto features = asks.constraint;
  auto gres = asks.gres;
  if (count > 0) {
    if (of_job || form == "gpus") {
      sbatch_line(lines, of_job ? "gpus" : "gpus-per-node", typed_count);
    } else {
      gres = "gpu:" + typed_count + (gres.empty() ? "" : "," + gres);
    }
    if (form == "constraint") {
      features += (features.empty() ? "" : "&") + asks.gpu;
    }
  }
  sbatch_line(lines, "gres", gres);
  sbatch_line(lines, "constraint", features);
}

/// sbatch expands %x in the name of the log, so a % in the path is doubled.
std::string log_path(std::string_view out, std::string_view pattern) {
  std::string path;
  for (const char c : out) {
    path += c == '%' ? std::string("%%") : std::string(1, c);
  }
  if (path.find('\\') != std::string::npos) {
    throw Error(fmt::format(
        "{}: a backslash in the output folder's path cannot be written in #SBATCH --output", out));
  }
  return fmt::format("{}/logs/{}", path, pattern);
}

/// A raw option of the profile; a value with blanks gets quotes unless it has some.
std::string quoted_option(std::string_view option) {
  const auto equals = option.find('=');
  if (equals == std::string_view::npos || option.find_first_of("\"'") != std::string_view::npos ||
      option.substr(0, equals).find(' ') != std::string_view::npos) {
    return std::string(option);
  }
  return fmt::format("{}={}", option.substr(0, equals), sbatch_quote(option.substr(equals + 1)));
}

}  // namespace

void add_sbatch_header(Lines& lines, const AllocationProfile& site, std::string_view out,
                       std::string_view job_name, std::string_view log) {
  const auto& asks = site.asks;
  sbatch_line(lines, "job-name", job_name);
  sbatch_line(lines, "partition", asks.partition);
  sbatch_line(lines, "account", asks.account);
  sbatch_line(lines, "qos", asks.qos);
  lines.add("#SBATCH --nodes={}", asks.nodes);
  lines.add("#SBATCH --ntasks={}", run::tasks_of(asks));
  if (asks.tasks_per_node > 1) {
    lines.add("#SBATCH --ntasks-per-node={}", asks.tasks_per_node);
  }
  lines.add("#SBATCH --cpus-per-task={}", asks.cpus);
  if (!asks.smt.empty()) {
    lines.add("#SBATCH --hint={}", asks.smt == "on" ? "multithread" : "nomultithread");
  }
  memory_line(lines, site);
  gpu_lines(lines, site);
  if (asks.exclusive) {
    lines.raw("#SBATCH --exclusive");
  }
  lines.add("#SBATCH --time={}", slurm_time(asks.time));
  if (site.launch.time_min.value > 0) {
    lines.add("#SBATCH --time-min={}", slurm_time(site.launch.time_min));
  }
  lines.add("#SBATCH --signal=B:USR1@{}",
            static_cast<std::int64_t>(std::ceil(site.launch.signal_lead.value)));
  sbatch_line(lines, "output", log_path(out, log));
  lines.raw("#SBATCH --open-mode=append");
  lines.add("#SBATCH --{}requeue", site.retry.requeues() ? "" : "no-");
  for (const auto& option : site.sbatch) {
    lines.add("#SBATCH {}", quoted_option(option));
  }
}

std::string memory_option(const AllocationProfile& site, Bytes memory) {
  const auto& flag = site.launch.memory_flag;
  if (site.whole_memory || flag == "none" || memory.value == 0) {
    return "";
  }
  return fmt::format("{}={}", flag, slurm_memory(bytes_in_option(site, memory)));
}

std::string memory_update(const AllocationProfile& site, Bytes memory) {
  return fmt::format("MinMemory{}={:.0f}", is_per_cpu(site) ? "CPU" : "Node",
                     std::ceil(bytes_in_option(site, memory) / mebibyte));
}

std::string sbatch_quote(std::string_view value) {
  constexpr std::size_t buffer = 8000;  // sbatch copies an option into BUFSIZ bytes
  if (value.find_first_of("\n\r") != std::string_view::npos ||
      value.find('\0') != std::string_view::npos) {
    throw Error(fmt::format("found '{}' with a line break, which no #SBATCH line can hold", value));
  }
  if (value.size() > buffer) {
    throw Error(fmt::format("found {} characters for an #SBATCH line, expected at most {}",
                            value.size(), buffer));
  }
  constexpr std::string_view special = " \t\"'\\#";
  if (value.find_first_of(special) == std::string_view::npos) {
    return std::string(value);
  }
  std::string quoted = "\"";
  for (const char c : value) {
    quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return quoted + "\"";
}

std::string slurm_time(Seconds time) {
  const auto minutes = static_cast<std::int64_t>(std::ceil(time.value / 60));
  return fmt::format("{}-{:02}:{:02}:00", minutes / 1440, minutes / 60 % 24, minutes % 60);
}

}  // namespace epochcast::jobs
