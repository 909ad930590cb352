#include "src/forecast/efficiency/model_work.hpp"

#include <array>
#include <initializer_list>

#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"

namespace epochcast::efficiency {
namespace {

/// A parameter that is a number above 0; 0: it is not.
double positive_parameter(const record::Record& record, std::string_view name) {
  const auto value = parse_double(record::parameter(record, name)).value_or(0);
  return value > 0 ? value : 0;
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

}  // namespace

double tokens_per_sample(const record::Record& record) {
  for (const auto* name : names_of_sequence_length) {
    if (const double found = positive_parameter(record, name); found > 0) {
      return found;
    }
  }
  return 0;
}

double flops_per_sample(const record::Record& record, const StatedWork& stated) {
  constexpr double flops_per_parameter = 6;
  const bool is_stated = stated.parameters > 0 || stated.flops_per_token > 0;
  if (!is_stated && !record.work.empty() && record.work.front().flops_per_sample > 0) {
    return record.work.front().flops_per_sample;
  }
  const double per_token =
      first_known({stated.flops_per_token, flops_per_parameter * stated.parameters,
                   positive_parameter(record, "flops_per_token"),
                   flops_per_parameter * positive_parameter(record, "parameters")});
  return per_token * first_known({stated.tokens_per_sample, tokens_per_sample(record)});
}

std::string precision_of(const record::Record& record) {
  const auto recorded = record.work.empty() ? "" : record.work.front().precision.str();
  return recorded.empty() ? record::parameter(record, "precision") : recorded;
}

WorkRates work_rates(const record::Record& record, std::optional<double> samples_per_s,
                     double peak_flops_per_s, const StatedWork& stated) {
  WorkRates rates{.samples_per_s = samples_per_s};
  if (!samples_per_s) {
    return rates;
  }
  if (const double tokens = first_known({stated.tokens_per_sample, tokens_per_sample(record)});
      tokens > 0) {
    rates.tokens_per_s = tokens * *samples_per_s;
  }
  if (const double flops = flops_per_sample(record, stated); flops > 0) {
    rates.model_flops_per_s = flops * *samples_per_s;
  }
  if (rates.model_flops_per_s && peak_flops_per_s > 0) {
    rates.mfu = *rates.model_flops_per_s / peak_flops_per_s;
  }
  return rates;
}

}  // namespace epochcast::efficiency
