#include "src/load/service_metrics.hpp"

#include <cmath>

#include "src/core/text.hpp"

namespace epochcast::load {
namespace {

/// The value behind a name and, perhaps, labels in braces; a time stamp may follow it.
double value_of_sample(std::string_view rest) {
  if (rest.starts_with('{')) {
    const auto brace = rest.rfind('}');
    rest.remove_prefix(brace == std::string_view::npos ? rest.size() : brace + 1);
  }
  rest = trim(rest);
  return parse_double(rest.substr(0, rest.find_first_of(" \t"))).value_or(record::not_measured);
}

}  // namespace

double sample_sum(std::string_view text, std::string_view name) {
  double sum = record::not_measured;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.size() > name.size() && line.starts_with(name) &&
        std::string_view("{ \t").find(line[name.size()]) != std::string_view::npos) {
      const double value = value_of_sample(line.substr(name.size()));
      sum = std::isnan(sum) ? value : sum + value;
    }
  }
  return sum;
}

ServiceMetrics parse_service_metrics(std::string_view text) {
  return {.queue_length = sample_sum(text, "epochcast_queue_inputs"),
          .batches = sample_sum(text, "epochcast_batch_inputs_count"),
          .batch_inputs = sample_sum(text, "epochcast_batch_inputs_sum"),
          .cache_hits = sample_sum(text, "epochcast_cache_hits_total")};
}

void set_metrics(const ServiceMetrics& before, const ServiceMetrics& now,
                 record::ServingSecond& second) {
  second.queue_length = now.queue_length;
  second.batches = now.batches - before.batches;
  second.batch_inputs = now.batch_inputs - before.batch_inputs;
  second.cache_hits = now.cache_hits - before.cache_hits;
}

}  // namespace epochcast::load
