#include "src/measure/attempt/end.hpp"

#include <fmt/format.h>

#include "src/base/core/error.hpp"

namespace epochcast::attempt {

End stopped_end(const std::string& text, run::FailureCause cause) {
  return {run::Outcome::stopped, text, exit_stopped, cause};
}

End failed_end(const std::string& text, ExitStatus status) {
  return {run::Outcome::failed, text, status, run::FailureCause::other};
}

End exception_end() {
  const Caught caught = caught_exception();
  if (caught.status == exit_stopped) {
    return stopped_end(caught.text);
  }
  End end = failed_end(caught.text, caught.status);
  if (caught.is_out_of_memory) {
    end.cause = run::FailureCause::out_of_memory;
  }
  return end;
}

ExitStatus close_attempt(record::RecordWriter& record, const End& end) {
  try {
    record.finish(end.outcome, end.text, end.cause);
  } catch (const std::exception& second) {  // most likely a full disk; flushed rows stay
    if (!end.is_failure()) {
      throw;
    }
    throw RunError(
        fmt::format("{}; and the record could not be closed: {}", end.text, second.what()));
  }
  if (end.is_failure() && end.status == exit_failed) {
    throw RunError(end.text);
  }
  if (end.is_failure()) {
    throw Error(end.text, end.status);
  }
  return end.status;
}

ExitStatus record_attempt(record::RecordWriter& record, const std::function<End()>& body) {
  End end;
  try {
    end = body();
    if (!end.is_failure()) {
      return close_attempt(record, end);
    }
  } catch (...) {
    end = exception_end();
  }
  return close_attempt(record, end);
}

}  // namespace epochcast::attempt
