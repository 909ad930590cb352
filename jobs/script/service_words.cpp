#include "jobs/script/service_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "jobs/script/sbatch_header.hpp"
#include "src/base/cli/command_line.hpp"
#include "src/base/config/field_values.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/run_config.hpp"
#include "src/record/run/streaming.hpp"

namespace epochcast::jobs {
namespace {

constexpr std::string_view of_service = "serve.";
constexpr std::string_view of_load = "load.";

/// --NAME=VALUE, without the prefix of the name.
std::string option(const run::Parameter& parameter, std::string_view prefix = "") {
  const auto name = std::string_view(parameter.name).substr(prefix.size());
  return fmt::format("--{}={}", cli::option_name(name), shell_quote(parameter.value));
}

/// Parameters that say which run this is, and not how the service answers.
bool is_about_the_run(const std::string& name) {
  constexpr std::array names{"task", "repeat"};
  return std::ranges::find(names, name) != names.end();
}

constexpr std::string_view of_stream = "stream.";

/// "batches" of "stream.batches" if `Options` has it, else "".
template <class Options>
std::string own_name(const run::Parameter& parameter) {
  if (!parameter.name.starts_with(of_stream)) {
    return "";
  }
  auto name = parameter.name.substr(of_stream.size());
  const auto own = run::field_names<Options>();
  return std::ranges::find(own, name) == own.end() ? "" : name;
}

std::string option(std::string_view name, const std::string& value) {
  return fmt::format("--{}={}", cli::option_name(name), shell_quote(value));
}

/// --exact: only the CPUs of one task; --mem=0: the steps share the memory of the job, which the
/// first would otherwise take for itself.
std::string srun(std::int64_t node, bool with_gpu, const AllocationProfile& site,
                 const TwoSteps& steps) {
  auto words = fmt::format(
      "srun --ntasks=1 --nodes=1 --relative={} --exact --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" "
      "--mem=0 --kill-on-bad-exit=1",
      node);
  if (run::gpus_of(site.asks) > 0 && !with_gpu) {
    words += " --gres=none";
  }
  for (const auto& option : steps.options) {
    words += " " + shell_quote(option);
  }
  return words;
}

}  // namespace

bool has_own_load_task(const AllocationProfile& site) {
  return run::tasks_of(site.asks) == 2;
}

void require_one_or_two_tasks(const AllocationProfile& site) {
  if (const auto tasks = run::tasks_of(site.asks); tasks > 2) {
    throw Error(
        fmt::format("allocation '{}' has {} tasks, expected 1 (a service and its load, or the two "
                    "ends of a stream, share it) or 2 (each has its own); choose with "
                    "'allocations:'",
                    site.name, tasks));
  }
}

std::vector<std::string> load_words(const Point& point) {
  std::vector<std::string> words;
  for (const auto& parameter : point.parameters) {
    if (parameter.name.starts_with(of_load)) {
      words.push_back(option(parameter, of_load));
    } else if (parameter.name != "task") {  // epochcast-load says itself what it does
      words.push_back("--parameter=" + shell_quote(parameter.name + "=" + parameter.value));
    }
  }
  return words;
}

std::vector<std::string> service_words(const Point& point) {
  std::vector<std::string> words{"serve"};
  for (const auto& parameter : point.parameters) {
    if (parameter.name.starts_with(of_service)) {
      words.push_back(option(parameter, of_service));
    } else if (!parameter.name.starts_with(of_load) && !is_about_the_run(parameter.name)) {
      words.push_back(option(parameter));
    }
  }
  return words;
}

std::vector<std::string> listen_words(const AllocationProfile& site) {
  return {site.asks.nodes > 1 ? "--host=0.0.0.0" : "--host=127.0.0.1", "--port=0",
          R"(--address-file="$work/address")", R"(--token-file="$work/token")"};
}

std::vector<std::string> target_words() {
  return {R"(--address-file="$work/address")", R"(--token-file="$work/token")"};
}

std::string service_preparation() {
  return R"sh(work=$out/work/$point
mkdir -p "$work"
rm -f "$work/address"
# Other users of the node can reach the service, so it answers only those who know a token.
(umask 077 && head -c 24 /dev/urandom | base64 >"$work/token") || exit 1
)sh";
}

std::string wait_for_service() {
  return R"sh(while [ ! -s "$work/address" ] && kill -0 "$service" 2>/dev/null; do
  sleep 0.2
done
patience=() # with no service, the load soon records that it has not begun
[ -s "$work/address" ] || patience=(--start-limit=1s)
)sh";
}

std::string stop_service(const AllocationProfile& site) {
  constexpr std::string_view stop =
      R"sh(kill -USR1 "$service" 2>/dev/null # it answers what it has accepted, then ends
wait "$service"
served=$?
if [ "$rc" -eq 0 ] && [ "$served" -ne 0 ]; then
  echo "epochcast: $point: the service ended with status $served" >&2
  rc=1
fi
)sh";
  return fmt::format("{}rm -f \"$work/token\"\n", has_own_load_task(site) ? stop : "");
}

std::vector<std::string> producer_words(const Point& point) {
  const auto items = run::value_of_parameter(point.parameters, "dataset.path", "random");
  std::vector<std::string> words{"produce", R"(--to=folder:"$work/stream")",
                                 option("items", items)};
  for (const auto& parameter : point.parameters) {
    if (const auto name = own_name<run::ProduceOptions>(parameter); !name.empty()) {
      words.push_back(option(name, parameter.value));
    }
  }
  return words;
}

std::vector<std::string> consumer_words(const Point& point) {
  const auto batches = run::value_of_parameter(point.parameters, "stream.batches",
                                               to_text(run::ProduceOptions{}.batches));
  std::vector<std::string> words{R"(--from=folder:"$work/stream")", option("batches", batches)};
  for (const auto& parameter : point.parameters) {
    const auto name = own_name<run::ConsumeOptions>(parameter);
    const bool is_of_network = !parameter.name.starts_with(of_stream) && parameter.name != "task" &&
                               parameter.name != "repeat";
    if (is_of_network || (!name.empty() && name != "batches")) {
      words.push_back(option(is_of_network ? parameter.name : name, parameter.value));
    }
  }
  return words;
}

std::string watch_producer() {
  return R"sh(# A trap interrupts wait.
while kill -0 "$producer" 2>/dev/null && kill -0 "$pid" 2>/dev/null; do
  wait -n "$producer" "$pid"
done
if kill -0 "$pid" 2>/dev/null; then
  wait "$producer"
  produced=$?
  if [ "$produced" -ne 0 ] && [ "$produced" -ne 75 ]; then
    echo "epochcast: $point: the producer failed with status $produced, so the consumer stops" >&2
    kill -USR1 "$pid"
  fi
fi
)sh";
}

std::string stop_producer(const AllocationProfile& /*site*/) {
  return R"sh(kill -TERM "$producer" 2>/dev/null && wait "$producer"
)sh";
}

std::string step_launchers(const AllocationProfile& site, const TwoSteps& steps) {
  Lines lines;
  lines.raw("beside=()\nlaunch=()");
  if (steps.slurm) {
    lines.raw(R"(if [ -n "${SLURM_JOB_ID:-}" ]; then)");
    lines.add("  beside=({})", srun(0, !steps.gpu_of_launch, site, steps));
    lines.add("  launch=({})", srun(site.asks.nodes - 1, steps.gpu_of_launch, site, steps));
    lines.raw("fi");
  }
  return std::move(lines).text();
}

}  // namespace epochcast::jobs
