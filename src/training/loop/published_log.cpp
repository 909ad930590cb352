#include "src/training/loop/published_log.hpp"

namespace epochcast::train {

std::unique_ptr<Observer> published_log(const LogContext& context) {
  const auto log = logs::all().find(context.program);
  return log == logs::all().end() ? nullptr : log->second.make(context);
}

}  // namespace epochcast::train
