// The typed view of a header's outcome and cause, which the file holds as text.
#pragma once

#include <string_view>

#include "src/record/record.hpp"
#include "src/record/run/outcome.hpp"

namespace epochcast::record {

/// How the attempt ended; `unknown` if the text is not a value of the enum.
run::Outcome outcome_of(const RecordHeader& header);

/// Why the attempt did not complete. Records written before the field `cause` existed have no
/// cause; for these records it is derived from the text of the outcome.
run::FailureCause cause_of(const RecordHeader& header);

/// Whether the attempt was a pilot of a program that ended because its epochs or its time were
/// done. In records written before the field `pilot_done` existed, the text of the outcome says so.
bool is_pilot_done(const RecordHeader& header);

/// Sets the outcome, its text and its cause together.
void set_outcome(RecordHeader& header, run::Outcome outcome, std::string_view text = "",
                 run::FailureCause cause = run::FailureCause::none);

}  // namespace epochcast::record
