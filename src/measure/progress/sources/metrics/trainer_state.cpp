// trainer_state.json, which Hugging Face's Trainer saves with each checkpoint: the metrics that it
// has logged so far. It holds no times, and it comes late, so it tells metrics only.
#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/core/error.hpp"
#include "src/base/core/strict_json.hpp"
#include "src/measure/progress/sources/metric_spec.hpp"

namespace epochcast::progress::sources::metrics {
namespace trainer_state_metric {

using nlohmann::json;

constexpr std::size_t largest_file = std::size_t{16} << 20;
constexpr std::size_t longest_name = 200;
constexpr int deepest = 8;
constexpr double largest_step = 9e15;

std::optional<Sample> history_sample(const json& entry) {
  if (!entry.is_object()) {
    return std::nullopt;
  }
  Sample sample;
  for (const auto& [name, value] : entry.items()) {
    const double number = value.is_number() ? value.get<double>() : NAN;
    if (name == "step" && number >= 0 && number < largest_step) {
      sample.step = static_cast<std::int64_t>(number);
    } else if (name == "epoch" && number >= 0 && number < 1e9) {
      // The epoch that the steps before were of: 2.0 is the end of the second one.
      sample.of_epoch = static_cast<std::int64_t>(std::ceil(number)) - (number > 0 ? 1 : 0);
    } else if (value.is_number() && name.size() <= longest_name && name != "total_flos") {
      sample.values.push_back({name, number});
    }
  }
  return sample.values.empty() ? std::nullopt : std::optional(std::move(sample));
}

class TrainerStateReader : public MetricReader {
 public:
  std::vector<Sample> read(std::string_view bytes) override {
    std::vector<Sample> samples;
    if (bytes.empty() || text_.size() + bytes.size() > largest_file) {
      return samples;
    }
    text_ += bytes;
    const auto last = text_.find_last_not_of(" \n\r\t");
    if (last == std::string::npos || text_[last] != '}') {
      return samples;  // it is being written
    }
    try {
      const auto state = parse_strict_json(text_, "the file", deepest);
      const auto history = state.find("log_history");
      if (history != state.end() && history->is_array()) {
        for (const auto& entry : *history) {
          if (auto sample = history_sample(entry)) {
            samples.push_back(std::move(*sample));
          }
        }
      }
      text_.clear();
    } catch (const Error&) {  // a '}' in its middle; the rest may come
    }
    return samples;
  }

  void restart() override { text_.clear(); }
  const Remarks& remarks() const override { return remarks_; }

 private:
  std::string text_;
  Remarks remarks_;
};

}  // namespace trainer_state_metric

MetricSpec trainer_state() {
  return {.summary = "trainer_state.json of Hugging Face's Trainer: metrics without times",
          .preference = 3,
          .whole_names = true,
          .recognises =
              [](std::string_view head) {
                return head.starts_with('{') && head.find("\"best_metric\"") != head.npos &&
                       head.find("\"global_step\"") != head.npos;
              },
          .open =
              [](const auto& /*file*/) {
                return std::make_unique<trainer_state_metric::TrainerStateReader>();
              }};
}

}  // namespace epochcast::progress::sources::metrics
