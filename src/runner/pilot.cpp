#include "src/runner/pilot.hpp"

#include <fmt/format.h>
#include <signal.h>

#include "src/base/core/text.hpp"

namespace epochcast::runner {
namespace {

constexpr double grace_s = 25;  ///< For the program; the keeper adds its own.

}  // namespace

std::string Pilot::what_is_done(const Progress& progress, double started_s) {
  if (options_.pilot_epochs > 0 && epochs_ >= options_.pilot_epochs) {
    return fmt::format("pilot of {} done",
                       counted(static_cast<std::size_t>(options_.pilot_epochs), "epoch"));
  }
  const double time_s = options_.pilot_time.value;
  if (time_s > 0 && progress.now_s - started_s >= time_s) {
    return fmt::format("pilot of {} done", to_text(options_.pilot_time));
  }
  if (options_.pilot_epochs > 0 && !is_first_ && progress.now_s - looked_s_ >= 1) {
    looked_s_ = progress.now_s;
    const auto request = stop_.request();
    return request.pilot_done ? request.reason : "";
  }
  return "";
}

void Pilot::watch(const Progress& progress, double started_s) {
  epochs_ += std::ssize(progress.rows.epochs);
  if (done_.empty()) {
    done_ = what_is_done(progress, started_s);
    if (!done_.empty()) {
      stopped_s_ = progress.now_s;
      stop_.create({done_, true});
      keeper_.signal(SIGTERM);
    }
  } else if (!ended_ && progress.now_s - stopped_s_ >= grace_s) {
    ended_ = true;
    keeper_.end_all();
  }
}

}  // namespace epochcast::runner
