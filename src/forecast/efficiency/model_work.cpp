#include "src/forecast/efficiency/model_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"
#include "src/record/stated.hpp"

namespace epochcast::efficiency {
namespace {

/// A parameter that is a number above 0, else what the program printed under this name; 0: neither.
double positive_parameter(const record::Record& record, std::string_view name) {
  auto value = parse_double(record::parameter(record, name));
  if (!value) {
    const auto printed = std::ranges::find(record.metrics, name,
                                           [](const auto& metric) { return metric.name.view(); });
    value = printed == record.metrics.end() ? 0 : printed->value;
  }
  return *value > 0 ? *value : 0;
}

double first_known(std::initializer_list<double> values) {
  for (const double value : values) {
    if (value > 0) {
      return value;
    }
  }
  return 0;
}

/// Of a sample's tokens, in programs.
constexpr std::array names_of_sequence_length{
    "sequence_length", "max_sequence_length", "sequence_len", "seq_length",
    "seq_len",         "max_seq_length",      "max_seq_len",  "block_size",
    "context_length",  "encoder_seq_length"};

/// Model FLOP of a token, by what is stated; 0: nothing.
double flops_of_token(const record::Record& record, const StatedWork& stated) {
  constexpr double per_parameter = 6;
  return first_known({stated.flops_per_token, per_parameter * stated.parameters,
                      positive_parameter(record, "flops_per_token"),
                      per_parameter * positive_parameter(record, "parameters")});
}

/// What the scheduler was asked for, of all tasks and nodes.
double gpus_asked(const record::Record& record) {
  const auto asked = [&](std::string_view name, double otherwise) {
    return parse_double(record::asked(record, name)).value_or(otherwise);
  };
  const double of_node = asked("gpus_per_node", 0);
  return asked("nodes", 1) *
         (of_node > 0 ? of_node : asked("gpus", 0) * asked("tasks_per_node", 1));
}

/// Samples a second where rows are blocks of another unit.
void convert_blocks(const record::Record& record, double tokens, WorkRates& rates) {
  const auto unit = record::parameter(record, "block_work");
  if (unit == "tokens") {
    rates.tokens_per_s = rates.samples_per_s;
    rates.samples_per_s = tokens > 0 ? std::optional(*rates.tokens_per_s / tokens) : std::nullopt;
  } else if (unit == "count" || unit == "steps") {
    rates.samples_per_s.reset();
  }
}

}  // namespace

double tokens_per_sample(const record::Record& record) {
  for (const auto* name : names_of_sequence_length) {
    if (const double found = positive_parameter(record, name); found > 0) {
      return found;
    }
  }
  return 0;
}

double tokens_per_step(const record::Record& record) {
  return positive_parameter(record, "tokens_per_step");
}

std::string precision_of(const record::Record& record, const StatedWork& stated) {
  const auto recorded = record.work.empty() ? "" : record.work.front().precision.str();
  return !stated.precision.empty() ? stated.precision
         : !recorded.empty()       ? recorded
                                   : record::parameter(record, "precision");
}

double gpus_of_run(const record::Record& record, const StatedWork& stated) {
  const auto of_ranks = static_cast<double>(std::ranges::count_if(
      record.machines,
      [](const record::Machine& machine) { return !machine.gpu_name.view().empty(); }));
  const bool imported = record.header.source.view().starts_with("imported:");
  return first_known({stated.gpus, positive_parameter(record, "gpus"),
                      imported                            ? 0
                      : record::is_of_our_trainer(record) ? of_ranks
                                                          : gpus_asked(record)});
}

WorkRates work_rates(const record::Record& record, std::optional<double> rows_per_s,
                     std::optional<double> steps_per_s, double peak_flops_per_s,
                     const StatedWork& stated) {
  WorkRates rates{.samples_per_s = rows_per_s};
  const double tokens = first_known({stated.tokens_per_sample, tokens_per_sample(record)});
  if (rows_per_s) {
    convert_blocks(record, tokens, rates);
  } else if (steps_per_s && tokens_per_step(record) > 0) {
    rates.tokens_per_s = *steps_per_s * tokens_per_step(record);
  }
  if (tokens > 0 && rates.samples_per_s) {
    rates.tokens_per_s = tokens * *rates.samples_per_s;
  }
  const double counted = record.work.empty() ? 0 : record.work.front().flops_per_sample;
  const double of_token = flops_of_token(record, stated);
  if (of_token > 0 && rates.tokens_per_s) {
    rates.model_flops_per_s = of_token * *rates.tokens_per_s;
  } else if (counted > 0 && rates.samples_per_s) {
    rates.model_flops_per_s = counted * *rates.samples_per_s;
  }
  if (rates.model_flops_per_s && peak_flops_per_s > 0) {
    rates.mfu = *rates.model_flops_per_s / peak_flops_per_s;
  }
  return rates;
}

std::string mfu_warning(const WorkRates& rates) {
  return rates.mfu.value_or(0) > 1
             ? fmt::format("MFU of {:.0f} %: are the device, its number and the parameters right?",
                           100 * *rates.mfu)
             : "";
}

std::optional<double> newest_samples_per_s(const record::Record& record) {
  if (record.epochs.size() > 1 && record.epochs.back().samples > 0 &&
      record.epochs.back().wall_s > 0) {
    return static_cast<double>(record.epochs.back().samples) / record.epochs.back().wall_s;
  }
  const auto steps_per_s = newest_steps_per_s(record);
  const auto samples = record.iterations.empty() ? 0 : record.iterations.front().samples;
  const auto ranks = std::max<std::size_t>(1, record.machines.size());
  return steps_per_s && samples > 0 ? std::optional(*steps_per_s * static_cast<double>(samples) *
                                                    static_cast<double>(ranks))
                                    : std::nullopt;
}

std::optional<double> newest_steps_per_s(const record::Record& record) {
  constexpr std::size_t newest = 100;
  const auto rows = record::first_rank(record);
  double time_s = 0;
  std::size_t count = 0;
  for (auto row = rows.rbegin(); row != rows.rend() && count < newest && *row != rows.front();
       ++row, ++count) {
    time_s += (*row)->wait_s + (*row)->step_s;
  }
  return time_s > 0 ? std::optional(static_cast<double>(count) / time_s) : std::nullopt;
}

}  // namespace epochcast::efficiency
