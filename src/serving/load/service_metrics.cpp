#include "src/serving/load/service_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/base/core/text.hpp"

namespace epochcast::load {
namespace {

/// The value after a name and, perhaps, labels in braces; a time stamp may follow it.
double value_of_sample(std::string_view rest) {
  if (rest.starts_with('{')) {
    const auto brace = rest.rfind('}');
    rest.remove_prefix(brace == std::string_view::npos ? rest.size() : brace + 1);
  }
  rest = trim(rest);
  return parse_double(rest.substr(0, rest.find_first_of(" \t"))).value_or(record::not_measured);
}

/// Calls `visit(rest)` for each sample of `name` with what stands after the name.
template <class Visit>
void for_each_sample(std::string_view text, std::string_view name, Visit&& visit) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.size() > name.size() && line.starts_with(name) &&
        std::string_view("{ \t").find(line[name.size()]) != std::string_view::npos) {
      visit(line.substr(name.size()));
    }
  }
}

/// The number in {inputs="N"}.
std::optional<std::int64_t> inputs_of(std::string_view rest) {
  constexpr std::string_view label = "{inputs=\"";
  if (!rest.starts_with(label)) {
    return std::nullopt;
  }
  rest.remove_prefix(label.size());
  return parse_integer(rest.substr(0, rest.find('"')));
}

std::map<std::int64_t, ServiceMetrics::Passes> passes_in(std::string_view text) {
  std::map<std::int64_t, ServiceMetrics::Passes> passes;
  for_each_sample(text, "epochcast_passes_total", [&](std::string_view rest) {
    if (const auto inputs = inputs_of(rest)) {
      passes[*inputs].number = value_of_sample(rest);
    }
  });
  for_each_sample(text, "epochcast_passes_seconds_total", [&](std::string_view rest) {
    if (const auto inputs = inputs_of(rest)) {
      passes[*inputs].seconds = value_of_sample(rest);
    }
  });
  return passes;
}

}  // namespace

double sample_sum(std::string_view text, std::string_view name) {
  double sum = record::not_measured;
  for_each_sample(text, name, [&](std::string_view rest) {
    const double value = value_of_sample(rest);
    sum = std::isnan(sum) ? value : sum + value;
  });
  return sum;
}

ServiceMetrics parse_service_metrics(std::string_view text) {
  return {.queue_length = sample_sum(text, "epochcast_queue_inputs"),
          .batches = sample_sum(text, "epochcast_batch_inputs_count"),
          .batch_inputs = sample_sum(text, "epochcast_batch_inputs_sum"),
          .cache_hits = sample_sum(text, "epochcast_cache_hits_total"),
          .passes = passes_in(text)};
}

std::vector<record::ServingPass> passes_between(const ServiceMetrics& before,
                                                const ServiceMetrics& now) {
  std::vector<record::ServingPass> rows;
  for (const auto& [inputs, passes] : now.passes) {
    const auto old = before.passes.find(inputs);
    const auto earlier = old == before.passes.end() ? ServiceMetrics::Passes{} : old->second;
    if (passes.number > earlier.number) {
      rows.push_back({.inputs = inputs,
                      .passes = std::llround(passes.number - earlier.number),
                      .sum_s = std::max(0.0, passes.seconds - earlier.seconds)});
    }
  }
  return rows;
}

void set_metrics(const ServiceMetrics& before, const ServiceMetrics& now,
                 record::ServingSecond& second) {
  second.queue_length = now.queue_length;
  second.batches = now.batches - before.batches;
  second.batch_inputs = now.batch_inputs - before.batch_inputs;
  second.cache_hits = now.cache_hits - before.cache_hits;
}

void StagePasses::take(double asked_s, const ServiceMetrics& metrics) {
  if (last_) {
    const auto stage = stage_between(last_asked_s_, asked_s);
    for (const auto& added : passes_between(*last_, metrics)) {
      auto& row = rows_[{stage, added.inputs}];
      row.stage = stage;
      row.inputs = added.inputs;
      row.passes += added.passes;
      row.sum_s += added.sum_s;
    }
  }
  last_asked_s_ = asked_s;
  last_ = metrics;
}

std::vector<record::ServingPass> StagePasses::rows() const {
  std::vector<record::ServingPass> rows;
  rows.reserve(rows_.size());
  for (const auto& [key, row] : rows_) {
    rows.push_back(row);
  }
  return rows;
}

std::int64_t StagePasses::stage_between(double from_s, double to_s) const {
  const auto stage = stages_.at(from_s);
  const bool is_last = stage + 1 == stages_.list.size();
  return is_last || to_s <= stages_.start_s(stage + 1) ? static_cast<std::int64_t>(stage)
                                                       : record::no_stage;
}

}  // namespace epochcast::load
