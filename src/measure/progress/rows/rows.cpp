#include "src/measure/progress/rows/rows.hpp"

namespace epochcast::progress {

void shift(Rows& rows, double by_s) {
  for (auto& row : rows.epochs) {
    row.start_s += by_s;
  }
  for (auto& row : rows.iterations) {
    row.start_s += by_s;
  }
  for (auto& row : rows.spans) {
    row.start_s += by_s;
  }
}

bool undo_running_sums(std::vector<record::Epoch>& epochs) {
  if (epochs.size() < 3) {
    return false;
  }
  const double first_s = epochs.front().wall_s;
  for (std::size_t i = 1; i < epochs.size(); ++i) {
    const double added_s = epochs[i].wall_s - epochs[i - 1].wall_s;
    if (!(added_s > 0.5 * first_s && added_s < 2 * first_s)) {
      return false;
    }
  }
  double before_s = 0;
  for (auto& epoch : epochs) {
    const double sum_s = epoch.wall_s;
    epoch.start_s = before_s;
    epoch.wall_s = sum_s - before_s;
    before_s = sum_s;
  }
  return true;
}

}  // namespace epochcast::progress
