#include <algorithm>
#include <cmath>

#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {

/// A new attempt: what was open is lost, and the time until it began is no epoch's.
void RowBuilder::restart(const Reading& reading, double at_s) {
  const auto epoch = *reading.epoch + run_.numbers.offset;
  const bool silent = reading.restart.silence_s > 10 &&
                      reading.restart.silence_s > (at_s - run_.times.last_seen_s()) / 2;
  if (run_.open && (run_.open->whole() || (silent && epoch == run_.open->epoch + 1 &&
                                           run_.open->step >= run_.before.last_step))) {
    end(std::max(run_.times.trained_s + (run_.evaluation.since_train ? 0 : missing_s(run_)),
                 run_.times.ended_s));
  }
  const auto next = run_.open ? run_.open->epoch : run_.numbers.next;
  const bool repeats_some = epoch < run_.numbers.next &&
                            (!run_.open || epoch < run_.open->epoch || !reading.step ||
                             *reading.step <= run_.open->step || run_.steps.last_printed == 0);
  if (epoch > next || !(repeats_some || silent)) {
    return;  // the statement was about something else
  }
  const auto& rows = rows_.epochs;
  if (std::isinf(reading.restart.silence_s) && !rows.empty() && epoch <= rows.front().epoch) {
    conflict_ = falls_back_to(*reading.epoch);  // a run of its own, and no line says so
    return;
  }
  const auto done = run_.open ? run_.open->epoch : run_.numbers.next;
  release();
  run_.open.reset();
  run_.numbers.done = std::max(run_.numbers.done, done);
  run_.numbers.next = epoch;
  run_.lost.resumes = true;
  run_.times.ended_s =
      std::max(run_.times.ended_s, std::min(at_s, reading.restart.at_s - run_.lost.sum_s));
  run_.times.trained_s = run_.times.ended_s;
  run_.steps.begin_again();
}

void RowBuilder::drop_open() {
  const auto of_open = [&](const auto& row) { return row.epoch == run_.open->epoch; };
  std::erase_if(rows_.iterations, of_open);
  std::erase_if(rows_.metrics, of_open);
  std::erase_if(rows_.spans, of_open);
  run_.numbers.next = run_.open->epoch;
  run_.open.reset();
}

/// The lines of a log state how long its epochs took, and their stamps agree, but for this one: the
/// program stood still (its job was suspended, or another one went on), which is no epoch's time.
double RowBuilder::without_pause(const Reading& reading, double at_s) {
  constexpr double rounding_s = 1.5;
  constexpr double alike = 0.1;
  constexpr double clearly = 2;
  constexpr std::int64_t some = 2;
  if (!run_.options.begin_anywhere || !run_.clock.timed || !reading.ends_epoch ||
      !reading.duration_s) {
    return at_s;
  }
  const double stated_s =
      *reading.duration_s + std::max(reading.evaluation_s.value_or(0), run_.open->evaluate_s);
  const double shown_s = at_s - run_.open->start_s;
  if (std::abs(shown_s - stated_s) < rounding_s + alike * stated_s) {
    ++run_.lost.agreements;
  } else if (shown_s > 10 * stated_s) {
    ++run_.lost.far_apart;
  }
  const double pause_s = shown_s - stated_s;
  if (run_.lost.agreements < some || pause_s < clearly * stated_s || pause_s < 10 * rounding_s) {
    return at_s;
  }
  run_.lost.sum_s += pause_s;
  run_.times.not_after(at_s - pause_s);
  return at_s - pause_s;
}

/// Where the clock is that of a log, the time between attempts does not count on it.
void RowBuilder::leave_out_lost_time(double& start_s) {
  if (run_.options.begin_anywhere && run_.before.end_s) {
    const double lost_s = std::max(0.0, start_s - *run_.before.end_s);
    run_.lost.sum_s += lost_s;
    run_.lost.unapplied_s = lost_s;
    start_s -= lost_s;
    run_.times.take_back(lost_s);
  }
  run_.lost.resumes = false;
}

}  // namespace epochcast::progress
