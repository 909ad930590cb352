#include "jobs/live/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "src/record/json_lines.hpp"

namespace epochcast::jobs {

Snapshot snapshot_of(const StatusReport& report, const std::string& folder, double at_s,
                     const RecordTails& tails) {
  Snapshot snapshot{.folder = folder, .at_s = at_s};
  for (const auto& status : report.points) {
    LivePoint point{.status = status};
    const auto* record = tails.find(record::json_lines_path(status.record));
    if (record != nullptr && status.state == PointState::running) {
      point.use = use_of(*record);
    }
    snapshot.points.push_back(std::move(point));
  }
  return snapshot;
}

double share_done(const Snapshot& snapshot) {
  double done = 0;
  for (const auto& point : snapshot.points) {
    const auto& status = point.status;
    done += has_ended(status.state)               ? 1
            : status.state == PointState::running ? status.progress.share.value_or(0)
                                                  : 0;
  }
  return snapshot.points.empty() ? 0 : done / static_cast<double>(snapshot.points.size());
}

std::string counts_text(const std::vector<LivePoint>& points) {
  std::map<PointState, std::size_t> counts;
  for (const auto& point : points) {
    ++counts[point.status.state];
  }
  return counts_text(counts);
}

std::optional<Finish> finish_of(const Snapshot& snapshot) {
  std::optional<Finish> last;
  for (const auto& point : snapshot.points) {
    if (point.status.state != PointState::running) {
      continue;
    }
    const auto& progress = point.status.progress;
    if (!progress.left_s || !progress.left_low_s || !progress.left_high_s) {
      return std::nullopt;
    }
    const auto later = [&](double before_s, double left_s) {
      return std::max(before_s, snapshot.at_s + left_s);
    };
    const auto before = last.value_or(Finish{});
    last = Finish{later(before.at_s, *progress.left_s), later(before.low_s, *progress.left_low_s),
                  later(before.high_s, *progress.left_high_s)};
  }
  return last;
}

Use use_of(const record::Record& record) {
  Use use;
  std::map<std::int64_t, const record::Telemetry*> last;  // by rank
  for (const auto& sample : record.telemetry) {
    if (sample.duration_s > 0 && sample.cpus > 0 && !std::isnan(sample.own_cpu_s)) {
      last[sample.rank] = &sample;
    }
  }
  double used = 0;
  double cpus = 0;
  for (const auto& [rank, sample] : last) {
    used += sample->own_cpu_s / sample->duration_s;
    cpus += double(sample->cpus);
  }
  if (cpus > 0) {
    use.cpu = used / cpus;
  }

  std::map<std::pair<std::int64_t, std::int64_t>, double> gpus;  // by rank and index
  for (const auto& sample : record.telemetry_gpus) {
    if (!std::isnan(sample.use)) {
      gpus[{sample.rank, sample.gpu}] = sample.use;
    }
  }
  double sum = 0;
  for (const auto& [gpu, share] : gpus) {
    sum += share;
  }
  if (!gpus.empty()) {
    use.gpu = sum / double(gpus.size());
  }
  return use;
}

}  // namespace epochcast::jobs
