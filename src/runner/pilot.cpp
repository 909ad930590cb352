#include "src/runner/pilot.hpp"

#include <fmt/format.h>
#include <signal.h>

#include "src/core/text.hpp"

namespace epochcast::runner {
namespace {

constexpr double grace_s = 25;  ///< For the program; the keeper adds its own.

}  // namespace

void Pilot::watch(const Progress& progress, double started_s) {
  epochs_ += std::ssize(progress.rows.epochs);
  if (done_.empty()) {
    if (options_.pilot_epochs > 0 && epochs_ >= options_.pilot_epochs) {
      done_ = fmt::format("pilot of {} done",
                          counted(static_cast<std::size_t>(options_.pilot_epochs), "epoch"));
    } else if (options_.pilot_time.value > 0 &&
               progress.now_s - started_s >= options_.pilot_time.value) {
      done_ = fmt::format("pilot of {} done", to_text(options_.pilot_time));
    }
    if (!done_.empty()) {
      stopped_s_ = progress.now_s;
      stop_.create(done_);
      keeper_.signal(SIGTERM);
    }
  } else if (!ended_ && progress.now_s - stopped_s_ >= grace_s) {
    ended_ = true;
    keeper_.end_all();
  }
}

}  // namespace epochcast::runner
