#include "src/record/outcome.hpp"

namespace epochcast::record {
namespace {

using run::FailureCause;
using run::Outcome;

/// Derives the cause from the text that older programs wrote: their own text of a failure, or the
/// job state of Slurm.
FailureCause cause_of_old_text(Outcome outcome, std::string_view text) {
  if (outcome == Outcome::complete || outcome == Outcome::running) {
    return FailureCause::none;
  }
  const bool lost = outcome == Outcome::lost;
  if ((outcome == Outcome::failed && text.find("out of memory") != std::string_view::npos) ||
      (lost && text.starts_with("OUT_OF_MEMORY"))) {
    return FailureCause::out_of_memory;
  }
  if (lost && text.find("TIMEOUT") != std::string_view::npos) {
    return FailureCause::time_limit;
  }
  return FailureCause::other;
}

}  // namespace

Outcome outcome_of(const RecordHeader& header) {
  return parse_enum<Outcome>(header.outcome.view()).value_or(Outcome::unknown);
}

FailureCause cause_of(const RecordHeader& header) {
  if (header.cause.view().empty()) {
    return cause_of_old_text(outcome_of(header), header.outcome_text.view());
  }
  return parse_enum<FailureCause>(header.cause.view()).value_or(FailureCause::other);
}

bool is_pilot_done(const RecordHeader& header) {
  return outcome_of(header) == Outcome::stopped &&
         (header.pilot_done != 0 || header.outcome_text.view().starts_with("pilot of "));
}

void set_outcome(RecordHeader& header, Outcome outcome, std::string_view text, FailureCause cause) {
  header.outcome = to_text(outcome);
  header.outcome_text = text;
  header.cause = to_text(cause);
}

}  // namespace epochcast::record
