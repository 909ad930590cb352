// How an attempt ends, and the end of its record: the same in every program that writes one.
#pragma once

#include <functional>
#include <string>

#include "src/base/core/error.hpp"
#include "src/record/run/outcome.hpp"
#include "src/record/writer.hpp"

namespace epochcast::attempt {

struct End {
  run::Outcome outcome = run::Outcome::complete;
  std::string text = {};
  ExitStatus status = exit_done;  ///< Of this program.
  run::FailureCause cause = run::FailureCause::none;

  bool is_failure() const { return outcome == run::Outcome::failed; }
};

End stopped_end(const std::string& text, run::FailureCause cause = run::FailureCause::none);
End failed_end(const std::string& text, ExitStatus status = exit_failed);

/// Call it in a catch block: the end that the exception means, of whatever type it is. An Error
/// with exit_stopped is a stop, any other exception a failure.
End exception_end();

/// Closes the record with `end` and returns its status. A failure is then thrown: as RunError, or
/// as Error if its status is another than exit_failed. Throws RunError if the record cannot be
/// closed.
ExitStatus close_attempt(record::RecordWriter& record, const End& end);

/// Runs `body` and closes the record as close_attempt() does, also if `body` throws or a full disk
/// keeps the record from being closed as a success.
ExitStatus record_attempt(record::RecordWriter& record, const std::function<End()>& body);

}  // namespace epochcast::attempt
