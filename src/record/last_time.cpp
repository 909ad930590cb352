#include "src/record/last_time.hpp"

#include <algorithm>

namespace epochcast::record {

double last_time_s(const Record& record) {
  double last_s = 0;
  for (const auto& span : record.spans) {
    last_s = std::max(last_s, span.start_s + span.duration_s);
  }
  for (const auto& step : record.iterations) {
    last_s = std::max(last_s, step.start_s + step.wait_s + step.step_s);
  }
  for (const auto& epoch : record.epochs) {
    last_s = std::max(last_s, epoch.start_s + epoch.wall_s + epoch.evaluate_s);
  }
  return last_s;
}

}  // namespace epochcast::record
