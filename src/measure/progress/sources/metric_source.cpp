#include "src/measure/progress/sources/metric_source.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/registry.hpp"
#include "src/measure/progress/sources/metric_files.hpp"
#include "src/measure/progress/sources/sample_readings.hpp"

namespace epochcast::progress::sources {
namespace {

constexpr double look_interval_s = 1;
constexpr double longest_write_s = 1;  ///< Of all parts of one step.
constexpr std::size_t longest_metric_name = 200;

template <class To, class From>
void append(To& to, From&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

class MetricSource : public Source {
 public:
  MetricSource(const std::string& path, const ClockZero& zero)
      : path_(path), zero_(zero), files_(path, /*only_new=*/true) {}

  std::vector<TimedReading> read(double now_s) override {
    if (now_s >= next_look_s_) {
      next_look_s_ = now_s + look_interval_s;
      files_.look();
    }
    auto samples = std::exchange(of_now_, {});
    files_.read(samples);
    const auto is_of_now = [&](const FiledSample& filed) {
      return filed.sample.is_part && at_s_of(filed) > now_s - longest_write_s;
    };
    const auto first =
        std::stable_partition(samples.begin(), samples.end(), std::not_fn(is_of_now));
    of_now_.assign(std::move_iterator(first), std::move_iterator(samples.end()));
    samples.erase(first, samples.end());
    return filed_readings(std::move(samples), now_s);
  }

  std::vector<TimedReading> finish(double now_s) override {
    files_.look();
    auto samples = std::exchange(of_now_, {});
    while (files_.read(samples)) {
    }
    files_.read(samples);  // nothing came: what the formats hold back is complete
    auto readings = filed_readings(std::move(samples), now_s);
    append(readings, readings_.finish());
    return readings;
  }

  std::vector<std::string> remarks() const override {
    auto all = files_.remarks();
    append(all, readings_.remarks().lines(path_));
    return all;
  }

 private:
  double at_s_of(const FiledSample& filed) const {
    return filed.sample.since_1970_s.value_or(filed.written_since_1970_s) - zero_.since_1970_s;
  }

  std::vector<TimedReading> filed_readings(std::vector<FiledSample> filed, double now_s) {
    std::vector<std::pair<double, Sample>> timed;
    for (auto& of_file : filed) {
      auto& sample = of_file.sample;
      const double at_s = at_s_of(of_file);
      if (sample.since_1970_s && at_s < 0) {
        continue;  // of a run before
      }
      // A file is written after the last look at it and before now, whatever its stamp says.
      const double earliest_s = sample.since_1970_s ? last_s_ : last_read_s_;
      timed.emplace_back(std::clamp(at_s, std::min(earliest_s, now_s), now_s), std::move(sample));
    }
    last_read_s_ = now_s;
    join_parts(timed);
    std::vector<TimedReading> readings;
    for (auto& [at_s, sample] : timed) {
      last_s_ = at_s;
      append(readings, readings_.read(std::move(sample), at_s));
    }
    return readings;
  }

  std::string path_;
  ClockZero zero_;
  MetricFiles files_;
  SampleReadings readings_;
  std::vector<FiledSample> of_now_;  ///< Parts, of whose step others may not be written yet.
  double next_look_s_ = 0;
  double last_read_s_ = 0;
  double last_s_ = 0;
};

}  // namespace

void add_named_value(Sample& sample, const std::string& name, double value) {
  const bool is_number = value >= 0 && value < 1e9;
  if (name == "epoch" && is_number && value == std::floor(value)) {
    sample.running_epoch = static_cast<std::int64_t>(value);
  } else if (name == "train/epoch" && is_number) {
    sample.epochs_done = value;
  } else if (name != "hp_metric" && name.size() <= longest_metric_name) {
    sample.values.push_back({name, value});
  }
}

void join_parts(std::vector<std::pair<double, Sample>>& timed) {
  const auto place = [](const std::pair<double, Sample>& at) {
    return std::pair(at.first, at.second.is_part ? at.second.step : std::nullopt);
  };
  std::stable_sort(timed.begin(), timed.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  std::vector<std::pair<double, Sample>> joined;
  for (auto& [at_s, sample] : timed) {
    auto* last = joined.empty() ? nullptr : &joined.back().second;
    if (last == nullptr || !sample.is_part || !last->is_part || sample.step != last->step) {
      joined.emplace_back(at_s, std::move(sample));
      continue;
    }
    append(last->values, std::move(sample.values));
    last->running_epoch = sample.running_epoch ? sample.running_epoch : last->running_epoch;
    last->epochs_done = sample.epochs_done ? sample.epochs_done : last->epochs_done;
  }
  timed = std::move(joined);
}

std::unique_ptr<Source> follow_metrics(const std::string& path, const ClockZero& zero) {
  return std::make_unique<MetricSource>(path, zero);
}

StoredReadings read_metrics(const std::string& path) {
  MetricFiles files(path, /*only_new=*/false);
  files.look();
  if (!files.any()) {
    if (const auto unread = files.remarks(); !unread.empty()) {
      throw Error(unread.front());
    }
    const auto known =
        mapped(metrics::all(), [](const auto& entry) { return entry.second.summary; });
    throw Error(path + ": found no file of metrics, expected " + join(known, "; "));
  }
  std::vector<FiledSample> samples;
  while (files.read(samples)) {
  }
  files.read(samples);
  std::erase_if(samples, [](const auto& filed) { return !filed.sample.since_1970_s; });
  if (samples.empty()) {
    throw Error(path +
                ": found metrics without times, expected files of TensorBoard, MLflow or wandb");
  }
  const auto time_of = [](const FiledSample& filed) { return *filed.sample.since_1970_s; };
  const double start_s = time_of(*std::ranges::min_element(samples, {}, time_of));
  std::vector<std::pair<double, Sample>> timed;
  for (auto& [sample, written] : samples) {
    const double at_s = *sample.since_1970_s - start_s;
    timed.emplace_back(at_s, std::move(sample));
  }
  join_parts(timed);
  SampleReadings of_samples;
  StoredReadings stored{.readings = {}, .remarks = files.remarks(), .began_since_1970_s = start_s};
  for (auto& [at_s, sample] : timed) {
    append(stored.readings, of_samples.read(std::move(sample), at_s));
  }
  append(stored.readings, of_samples.finish());
  append(stored.remarks, of_samples.remarks().lines(path));
  append(stored.notes, of_samples.repeated().lines(path));
  return stored;
}

}  // namespace epochcast::progress::sources
