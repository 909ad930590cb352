// The log.txt of DETR's main.py and of those that took it over (DeiT, MAE, DINO, ...): a JSON
// object an epoch, {"train_lr": 1e-4, "train_loss": 12.1, "test_loss": ..., "epoch": 0,
// "n_parameters": 41}. It states no time.
#include <nlohmann/json.hpp>

#include "src/measure/progress/format.hpp"

namespace epochcast::progress::formats {
namespace detr_format {

class DetrParser final : public LineParser {
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
    Reading reading{
        .epoch = object["epoch"].get<std::int64_t>(), .ends_epoch = true, .evidence = 0.5};
    reading.since_epoch = reading.epoch;
    for (const auto& [name, value] : object.items()) {
      if (value.is_number() && name != "epoch" && name != "n_parameters") {
        reading.metrics.push_back({.name = name, .value = value.get<double>()});
      }
    }
    return reading;
  }

 private:
  static bool states_training(const nlohmann::json& object) {
    return object.contains("train_loss") || object.contains("train_lr");
  }
};

}  // namespace detr_format

FormatSpec detr() {
  return {.summary = "the JSON lines of DETR's log.txt: {\"train_lr\": 1e-4, ..., \"epoch\": 0}",
          .hints = {"\"train_l"},
          .open = [](const auto&) { return std::make_unique<detr_format::DetrParser>(); }};
}

}  // namespace epochcast::progress::formats
