#include "src/record/stated.hpp"

#include <algorithm>

#include "src/base/core/text.hpp"
#include "src/record/queries.hpp"

namespace epochcast::record {
namespace {

/// Whether another parameter says that this one is not used: "eval_strategy=epoch".
bool is_switched_off(const Record& record, const run::StatedName& name) {
  return std::ranges::any_of(split(name.strategy, '|'), [&](const std::string& strategy) {
    const auto value = to_lower(parameter(record, strategy));
    return !value.empty() && !value.ends_with("steps");  // "IntervalStrategy.STEPS"
  });
}

}  // namespace

std::optional<StatedNumber> stated(const Record& record, run::Stated what) {
  for (const auto& name : run::stated_names) {
    const auto value =
        name.what == what ? parse_double(parameter(record, name.name)) : std::nullopt;
    const bool counts =
        value && (*value > 0 || (*value == 0 && name.unit == run::StatedUnit::epochs_from_0));
    if (counts && !is_switched_off(record, name)) {
      return StatedNumber{*value, name.unit};
    }
  }
  return std::nullopt;
}

bool is_of_our_trainer(const Record& record) {
  return parameter(record, "command").empty() &&
         !record.header.source.view().starts_with("imported:");
}

}  // namespace epochcast::record
