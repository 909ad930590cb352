// What a program does before the end of its job; profiles of clusters have the same keys.
#pragma once

#include <string>

#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::attempt {

struct NearLimit {
  std::string near_limit = "signal";
  std::string over_limit = "warn";
};

inline constexpr Field near_limit_field{
    "near_limit", "1", "epoch: begin no epoch that may not end before the signal or the job's end",
    &NearLimit::near_limit, "signal|epoch"};
inline constexpr Field over_limit_field{
    "over_limit", "1", "A run that cannot end in time: warn, or stop after an epoch",
    &NearLimit::over_limit, "warn|stop"};

struct LimitOptions : NearLimit {
  Seconds limit_lead = {};
};

constexpr auto fields_of(Tag<LimitOptions>) {
  return FieldTable{
      near_limit_field,
      over_limit_field,
      Field{"limit_lead", "s", "Time before the job's end without epochs (0s: up to 2 minutes)",
            &LimitOptions::limit_lead, ">=0"},
  };
}

}  // namespace epochcast::attempt
