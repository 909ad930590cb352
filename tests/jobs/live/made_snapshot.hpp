// A folder of made-up points for the tests of the live view.
#pragma once

#include <string>

#include "jobs/live/snapshot.hpp"
#include "jobs/live/view.hpp"

namespace epochcast::jobs::test {

inline LivePoint made_point(const std::string& name, PointState state, Progress progress = {}) {
  LivePoint point;
  point.status.point = name;
  point.status.state = state;
  point.status.log = "/logs/" + name;
  point.status.job = point.status.job_name = "7";
  point.status.progress = std::move(progress);
  return point;
}

/// Five points: one complete, two running with forecasts, one failed, one pending without a log.
inline Snapshot made_snapshot() {
  Snapshot snapshot{.folder = "out/made", .at_s = 1'800'000'000};
  snapshot.points = {
      made_point("a", PointState::complete,
                 {.epoch = 5, .epochs = 5, .share = 1, .loss_name = "loss", .loss = 0.25}),
      made_point("b", PointState::running,
                 {.left_s = 600,
                  .left_low_s = 500,
                  .left_high_s = 700,
                  .epoch = 1,
                  .epochs = 4,
                  .share = 0.25,
                  .loss_name = "loss",
                  .loss = 1.5}),
      made_point("c", PointState::running,
                 {.left_s = 60,
                  .left_low_s = 50,
                  .left_high_s = 900,
                  .epoch = 3,
                  .epochs = 4,
                  .share = 0.75,
                  .loss_name = "loss_d",
                  .loss = 0.5}),
      made_point("d", PointState::failed), made_point("e", PointState::pending)};
  snapshot.points[3].status.reason = "out of memory";
  snapshot.points[4].status.log.clear();
  return snapshot;
}

inline terminal::Key letter(const std::string& text) {
  return {terminal::KeyName::character, text};
}

}  // namespace epochcast::jobs::test
