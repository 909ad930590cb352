#include "jobs/script/service_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

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

}  // namespace epochcast::jobs
