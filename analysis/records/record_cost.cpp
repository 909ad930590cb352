#include "analysis/records/record_cost.hpp"

#include <algorithm>

#include "analysis/records/record_metrics.hpp"
#include "src/base/config/field_values.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/forecast/efficiency/job_use.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {
namespace {

constexpr double seconds_per_hour = 3600;

/// The monotonic clock of the process, or, of one that ended between two rows, the time stamps.
std::optional<double> seconds_of(const record::Record& record) {
  double last_s = total_training_s(record).value_or(0);
  for (const auto& span : record.spans) {
    last_s = std::max(last_s, span.start_s + span.duration_s);
  }
  for (const auto& epoch : record.epochs) {
    last_s = std::max(last_s, epoch.start_s + epoch.wall_s + epoch.evaluate_s + epoch.checkpoint_s);
  }
  const auto began = seconds_since_1970(record.header.created_at.str());
  const auto ended = seconds_since_1970(record.header.finished_at.str());
  if (began && ended) {
    last_s = std::max(last_s, *ended - *began);
  }
  return last_s > 0 ? std::optional(last_s) : std::nullopt;
}

std::optional<double> product(std::optional<double> count, std::optional<double> hours) {
  return count && hours ? std::optional(*count * *hours) : std::nullopt;
}

std::optional<double> known(std::int64_t count) {
  return count > 0 ? std::optional(static_cast<double>(count)) : std::nullopt;
}

}  // namespace

run::Usage usage_of(const record::Record& record) {
  run::Usage usage;
  if (const auto seconds = seconds_of(record)) {
    usage.wall_h = *seconds / seconds_per_hour;
  }
  auto granted = efficiency::granted_to(record);
  usage.granted = granted.cpus.has_value();
  if (!usage.granted) {
    granted = {known(cpus_of(record)), used_gpu(record) ? known(gpus_of(record)) : 0};
  }
  usage.cpu_hours = product(granted.cpus, usage.wall_h);
  usage.gpu_hours = product(granted.gpus, usage.wall_h);
  const bool on_known_nodes = usage.granted || machines_of(record) > 0;
  usage.node_hours = product(on_known_nodes ? known(nodes_of(record)) : std::nullopt, usage.wall_h);
  const auto* at_once = record::allocation_row(record, "points_at_once");
  if (at_once != nullptr && usage.node_hours) {  // its share of the node
    *usage.node_hours /= static_cast<double>(parse_integer(at_once->got.view()).value_or(1));
  }
  return usage;
}

run::Prices prices_of(const record::Record& record) {
  run::Prices prices;
  for_each_field<run::Prices>([&](const auto& field) {
    const auto* row = record::allocation_row(record, "price_" + std::string(field.name));
    if (row != nullptr) {
      try {
        run::set_field_value(prices, field, row->asked.view());
      } catch (const Error&) {
        prices.*
            field.member = {};  // a record of somebody else: no price is better than a wrong one
      }
    }
  });
  return prices;
}

}  // namespace epochcast::analysis
