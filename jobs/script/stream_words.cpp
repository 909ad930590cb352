#include "jobs/script/stream_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/base/cli/command_line.hpp"
#include "src/base/config/field_values.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/streaming.hpp"

namespace epochcast::jobs {
namespace {

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

}  // namespace epochcast::jobs
