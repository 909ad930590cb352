// What a run states of its schedule and its layout, under whichever name.
#pragma once

#include <optional>

#include "src/record/record.hpp"
#include "src/record/run/stated_names.hpp"

namespace epochcast::record {

struct StatedNumber {
  double value = 0;
  run::StatedUnit unit = run::StatedUnit::plain;
};

/// The number under one of the names for it (run::stated_names).
std::optional<StatedNumber> stated(const Record& record, run::Stated what);

/// Whether our trainer wrote it: it has no command, and was not imported.
bool is_of_our_trainer(const Record& record);

}  // namespace epochcast::record
