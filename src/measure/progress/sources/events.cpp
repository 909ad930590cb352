#include "src/measure/progress/sources/events.hpp"

#include <algorithm>
#include <cstddef>

#include "src/base/core/gzip.hpp"
#include "src/measure/progress/sources/event_reader.hpp"
#include "src/measure/progress/sources/followed_file.hpp"

namespace epochcast::progress::sources {
namespace {

constexpr std::size_t longest_event = std::size_t{1} << 20;
constexpr std::size_t events_at_once = std::size_t{1} << 20;

class EventSource : public Source {
 public:
  EventSource(const std::string& path, const ClockZero& zero) : file_(path), reader_(zero) {
    file_.skip();
  }

  std::vector<TimedReading> read(double now_s) override {
    std::vector<TimedReading> readings;
    read_more(now_s, readings);
    return readings;
  }

  std::vector<TimedReading> finish(double now_s) override {
    std::vector<TimedReading> readings;
    while (read_more(now_s, readings)) {
    }
    lines_.finish([&](const FileLine& line) { take(line, now_s, readings); });
    return readings;
  }

  std::vector<std::string> remarks() const override {
    auto lines = reader_.remarks().lines(file_.path());
    lines.insert(lines.end(), reader_.notes().begin(), reader_.notes().end());
    return lines;
  }

 private:
  /// Returns whether there is more.
  bool read_more(double now_s, std::vector<TimedReading>& readings) {
    const auto growth = file_.read(events_at_once);
    if (growth.restarted) {
      lines_.restart();
      reader_.restarted();
    }
    lines_.add(growth.bytes, [&](const FileLine& line) { take(line, now_s, readings); });
    return growth.more;
  }

  void take(const FileLine& line, double now_s, std::vector<TimedReading>& readings) {
    if (auto reading = reader_.read(line, now_s)) {
      readings.push_back(std::move(*reading));
    }
  }

  FollowedFile file_;
  LineBuffer lines_{longest_event};
  EventReader reader_;
};

/// The longest part of the readings whose times never go back: a damaged time costs one of them.
std::vector<TimedReading> in_order(std::vector<TimedReading> readings) {
  std::vector<std::size_t> ends;  // ends[k]: the reading with which a part of k + 1 ends earliest
  std::vector<std::ptrdiff_t> before(readings.size(), -1);
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const auto place =
        std::upper_bound(ends.begin(), ends.end(), readings[i].at_s,
                         [&](double at_s, std::size_t end) { return at_s < readings[end].at_s; });
    before[i] = place == ends.begin() ? -1 : static_cast<std::ptrdiff_t>(*(place - 1));
    if (place == ends.end()) {
      ends.push_back(i);
    } else {
      *place = i;
    }
  }
  std::vector<TimedReading> kept;
  for (auto i = ends.empty() ? -1 : static_cast<std::ptrdiff_t>(ends.back()); i >= 0;
       i = before[static_cast<std::size_t>(i)]) {
    kept.push_back(std::move(readings[static_cast<std::size_t>(i)]));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace

std::unique_ptr<Source> follow_events(const std::string& path, const ClockZero& zero) {
  return std::make_unique<EventSource>(path, zero);
}

StoredReadings read_events(const std::string& path) {
  EventReader reader{std::nullopt};
  std::vector<TimedReading> all;
  LineBuffer lines(longest_event);
  const auto take = [&](const FileLine& line) {
    if (auto reading = reader.read(line, 0)) {
      all.push_back(std::move(*reading));
    }
  };
  lines.add(read_text_or_gzip(path, most_text_mib), take);
  lines.finish(take);
  const auto count = all.size();
  StoredReadings stored{.readings = in_order(std::move(all)),
                        .remarks = reader.remarks().lines(path),
                        .notes = reader.notes()};
  if (stored.readings.size() < count) {
    stored.remarks.push_back(path + ": " + std::to_string(count - stored.readings.size()) +
                             " events with times before others' are left out");
  }
  const double start_s = stored.readings.empty() ? 0 : stored.readings.front().at_s;
  for (auto& reading : stored.readings) {
    reading.at_s -= start_s;
  }
  return stored;
}

}  // namespace epochcast::progress::sources
