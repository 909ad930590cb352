#include "src/measure/attempt/start.hpp"

#include <fmt/format.h>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/version.hpp"
#include "src/measure/attempt/audit.hpp"
#include "src/measure/attempt/gpu.hpp"
#include "src/measure/attempt/machine.hpp"
#include "src/record/run/parameter.hpp"

namespace epochcast::attempt {
namespace {

constexpr double slurm_timeout_s = 5;  // the longest delay if the controller is down

std::optional<run::Allocation> asked_allocation(const slurm::Environment& environment) {
  const auto packed = slurm::variable(environment, "EPOCHCAST_ASKED");
  if (packed.empty()) {
    return std::nullopt;
  }
  try {
    return run::unpack_allocation(packed);
  } catch (const Error& error) {
    throw Error(fmt::format("EPOCHCAST_ASKED in the environment: {}", error.what()));
  }
}

run::Prices prices_in(const slurm::Environment& environment) {
  try {
    return run::unpack_prices(slurm::variable(environment, "EPOCHCAST_PRICES"));
  } catch (const Error& error) {
    throw Error(fmt::format("EPOCHCAST_PRICES in the environment: {}", error.what()));
  }
}

void describe_gpu(const Gpu& gpu, record::Machine& machine) {
  machine.gpu_name = gpu.name;
  machine.gpu_uuid = gpu.uuid;
  machine.gpu_memory_bytes = gpu.memory_bytes;
  machine.gpu_clock_mhz = gpu.clock_mhz;
  machine.gpu_memory_clock_mhz = gpu.memory_clock_mhz;
  machine.gpu_power_limit_w = gpu.power_limit_w;
  machine.gpu_driver = gpu.driver;
}

/// The point names files of the records folder and a folder of the work folder.
void check_point_name(const std::string& point) {
  if (point.empty() || point.find('/') != std::string::npos || point == "." || point == "..") {
    throw Error(fmt::format("--point: found '{}', expected a name of a file, without '/'", point));
  }
}

record::RecordHeader start_header(const StartFacts& facts, const slurm::JobEnvironment& job) {
  record::RecordHeader header;
  header.tool_version = tool_version;
  header.tool_revision = tool_revision;
  header.created_at = iso8601();
  check_point_name(facts.output.point);
  header.point = facts.output.point;
  header.experiment = facts.output.experiment;
  if (!facts.output.allocation.empty()) {
    run::check_allocation_name(facts.output.allocation);
  }
  header.allocation = facts.output.allocation;
  header.job_id = job.job_id;
  header.restart = job.restart;
  return header;
}

}  // namespace

record::Record start_record(const StartFacts& facts) {
  const auto job = slurm::read_job_environment(facts.environment);
  const auto gpus = read_gpus();
  auto machine = read_machine();
  machine.rank = facts.rank;
  machine.threads_used = facts.threads;
  machine.libraries = facts.libraries;
  machine.binary_sha256 = own_binary_sha256();
  const auto* used = first_visible(gpus, slurm::visible_gpus(facts.environment));
  if (used != nullptr && facts.on_gpu) {
    describe_gpu(*used, machine);
  }
  const auto audited =
      audit({.asked = asked_allocation(facts.environment),
             .job = job.under_slurm && facts.rank == 0
                        ? slurm::job_info(facts.environment, job.job_id, slurm_timeout_s)
                        : std::nullopt,
             .machine = machine,
             .gpus_present = std::ssize(gpus),
             .restart = job.restart,
             .prices = prices_in(facts.environment)});
  record::Record record;
  record.header = start_header(facts, job);
  record.header.tainted = audited.tainted;
  for (const auto& parameter : facts.parameters) {
    record.parameters.push_back({parameter.name, parameter.value, parameter.type, parameter.unit});
  }
  record.machines = {machine};
  record.allocation = audited.rows;
  record.modules = environment_text(facts.environment);
  return record;
}

std::filesystem::path record_path(const run::RunOutput& output,
                                  const record::RecordHeader& header) {
  const auto restart = header.restart > 0 ? fmt::format("-r{}", header.restart) : "";
  return std::filesystem::path(output.records) /
         fmt::format("{}-{}{}.h5", output.point, header.job_id.view(), restart);
}

std::string default_point(const run::RunConfig& config) {
  return fmt::format("{}.e{}.r{}-{}", config.model, config.epochs, config.repeat,
                     run::short_hash(run::non_default_parameters(config)));
}

}  // namespace epochcast::attempt
