// The typed view of a header's outcome and cause, which the file holds as text.
#pragma once

#include <string_view>

#include "src/record/record.hpp"
#include "src/run/outcome.hpp"

namespace epochcast::record {

/// How the attempt ended; `unknown` where the text is not one of the enum's.
run::Outcome outcome_of(const RecordHeader& header);

/// Why the attempt did not complete. Records written before the field `cause` existed have none:
/// for those the outcome's text is read.
run::FailureCause cause_of(const RecordHeader& header);

/// Sets outcome, its text and its cause together.
void set_outcome(RecordHeader& header, run::Outcome outcome, std::string_view text = "",
                 run::FailureCause cause = run::FailureCause::none);

}  // namespace epochcast::record
