// The log.txt of DETR's main.py and of those that took it over (DeiT, MAE, DINO, ...): a JSON
// object an epoch, {"train_lr": 1e-4, "train_loss": 12.1, "test_loss": ..., "epoch": 0,
// "n_parameters": 41}. Loops of others write such lines too, from 1 and with times: {"epoch": 1,
// "train_loss": 0.8, "epoch_time": 44.1}.
#include <nlohmann/json.hpp>

#include "src/measure/progress/lines/line_durations.hpp"
#include "src/measure/progress/lines/words.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress::formats {
namespace detr_format {

class DetrParser final : public SingleLineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override {
    const auto begin = line.text.find('{');
    const auto object = begin == std::string_view::npos
                            ? nlohmann::json()
                            : nlohmann::json::parse(line.text.substr(begin), nullptr, false);
    if (!object.is_object() || !object.contains("epoch") || !object["epoch"].is_number_unsigned() ||
        !states_training(object)) {
      return std::nullopt;
    }
    const auto printed = object["epoch"].get<std::int64_t>();
    Reading reading{
        .epoch = object.contains("train_lr") ? printed : count_.from_zero(printed, false),
        .ends_epoch = true,
        .evidence = 0.5};
    if (!reading.epoch) {
      return std::nullopt;
    }
    const auto stated = durations_of(line.text.substr(begin));
    reading.duration_s = stated.epoch_s;
    reading.evaluation_s = stated.evaluation_s;
    reading.since_epoch = reading.epoch;
    for (const auto& [name, value] : object.items()) {
      if (value.is_number() && name != "epoch" && name != "n_parameters" &&
          time_name(name) == TimeName::none &&
          time_name(without_unit(name).name) == TimeName::none) {
        reading.metrics.push_back({.name = name, .value = value.get<double>()});
      }
    }
    return reading;
  }

 private:
  static bool states_training(const nlohmann::json& object) {
    const bool of_fairseq = object.contains("train_wall");
    return !of_fairseq && (object.contains("train_loss") || object.contains("train_lr"));
  }

  EpochCount count_;
};

}  // namespace detr_format

FormatSpec detr() {
  return {.summary = "the JSON lines of DETR's log.txt: {\"train_lr\": 1e-4, ..., \"epoch\": 0}",
          .hints = {"\"train_l"},
          .open = [](const auto&) { return std::make_unique<detr_format::DetrParser>(); }};
}

}  // namespace epochcast::progress::formats
