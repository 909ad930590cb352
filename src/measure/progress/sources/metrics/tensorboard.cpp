// TensorBoard's event files: the scalars in them, with their times. The messages are Event, Summary
// and TensorProto of TensorFlow's .proto files, of which a few fields are needed.
#include <cmath>
#include <limits>
#include <utility>

#include "src/measure/progress/sources/metric_spec.hpp"
#include "src/measure/progress/sources/record_frames.hpp"
#include "src/measure/progress/sources/wire_format.hpp"

namespace epochcast::progress::sources::metrics {
namespace tensorboard_metric {

constexpr std::size_t longest_name = 200;
constexpr std::size_t most_values = 1000;
constexpr std::int64_t largest_step = std::int64_t{1} << 53;

double float_of_bits(std::uint64_t bits, bool is_double) {
  const WireField field{.value = bits, .bytes = {}};
  return is_double ? field.as_double() : double{field.as_float()};
}

/// The value of a tensor that holds one number: float (type 1), double (2), int32 (3), int64 (9).
std::optional<double> number_of_tensor(std::string_view message) {
  constexpr std::uint64_t of_float = 1;
  constexpr std::uint64_t of_double = 2;
  std::uint64_t type = 0;
  std::optional<double> number;
  std::string_view content;
  int numbers = 0;
  WireReader tensor(message);
  while (const auto field = tensor.next()) {
    const bool is_double = field->number == 6;
    if (field->is(1, WireType::varint)) {
      type = field->value;
    } else if (field->is(4, WireType::bytes)) {
      content = field->bytes;
    } else if ((field->number == 5 || is_double) && field->type == WireType::bytes) {
      const std::size_t size = is_double ? 8 : 4;
      numbers += field->bytes.size() == size ? 1 : 2;
      if (const auto bits = WireReader(field->bytes).fixed(size)) {
        number = float_of_bits(*bits, is_double);
      }
    } else if (field->is(5, WireType::fixed32) || field->is(6, WireType::fixed64)) {
      ++numbers;
      number = float_of_bits(field->value, is_double);
    } else if ((field->number == 7 || field->number == 10) && field->type == WireType::varint) {
      ++numbers;
      number = static_cast<double>(static_cast<std::int64_t>(field->value));
    }
  }
  if (!tensor.at_end() || (type != of_float && type != of_double && type != 3 && type != 9)) {
    return std::nullopt;
  }
  const std::size_t size = type == of_double ? 8 : 4;
  if (numbers == 0 && content.size() == size && (type == of_float || type == of_double)) {
    return float_of_bits(WireReader(content).fixed(size).value_or(0), type == of_double);
  }
  return numbers == 1 ? number : std::nullopt;
}

/// Summary.Value, if it is a scalar.
std::optional<NamedValue> scalar_of(std::string_view message) {
  NamedValue scalar;
  std::optional<double> number;
  WireReader value(message);
  while (const auto field = value.next()) {
    if (field->is(1, WireType::bytes)) {
      scalar.name = field->bytes.substr(0, longest_name);
    } else if (field->is(2, WireType::fixed32)) {
      number = field->as_float();
    } else if (field->is(8, WireType::bytes)) {
      number = number_of_tensor(field->bytes);
    }
  }
  if (!value.at_end() || !number || scalar.name.empty()) {
    return std::nullopt;
  }
  scalar.value = *number;
  return scalar;
}

/// Several values that are written together are several events, of the same step.
class TensorboardReader : public MetricReader {
 public:
  std::vector<Sample> read(std::string_view bytes) override {
    samples_.clear();
    if (bytes.empty()) {
      complete();
    } else {
      frames_.add(bytes, [this](std::string_view message) { take_event(message); });
    }
    return std::move(samples_);
  }

  void restart() override {
    complete();
    frames_.restart();
  }

  const Remarks& remarks() const override { return frames_.remarks(); }

 private:
  void take_event(std::string_view message) {
    double since_1970_s = std::numeric_limits<double>::quiet_NaN();
    std::int64_t step = 0;  // protobuf leaves a 0 out
    std::vector<NamedValue> values;
    bool begins_file = false;
    WireReader event(message);
    while (const auto field = event.next()) {
      if (field->is(1, WireType::fixed64)) {
        since_1970_s = field->as_double();
      } else if (field->is(2, WireType::varint)) {
        step = static_cast<std::int64_t>(field->value);
      } else if (field->is(3, WireType::bytes)) {
        begins_file = true;  // the version of the format
      } else if (field->is(5, WireType::bytes)) {
        take_summary(field->bytes, values);
      }
    }
    if (!event.at_end() || !std::isfinite(since_1970_s)) {
      return;
    }
    if (begins_file) {
      samples_.push_back({.since_1970_s = since_1970_s});
    } else if (step >= 0 && step < largest_step && !values.empty()) {
      add(since_1970_s, step, std::move(values));
    }
  }

  static void take_summary(std::string_view message, std::vector<NamedValue>& values) {
    WireReader summary(message);
    while (const auto field = summary.next()) {
      if (auto scalar = field->is(1, WireType::bytes) ? scalar_of(field->bytes) : std::nullopt;
          scalar && values.size() < most_values) {
        values.push_back(std::move(*scalar));
      }
    }
  }

  void add(double since_1970_s, std::int64_t step, const std::vector<NamedValue>& values) {
    if (!held_.values.empty() && held_.step != step) {
      complete();
    }
    held_.since_1970_s = since_1970_s;
    held_.step = step;
    for (const auto& [name, value] : values) {
      take_value(name, value, step);
    }
    if (held_.ended_epoch || held_.values.size() > most_values) {
      complete();
    }
  }

  /// Keras writes epoch_loss, once an epoch, whose step is the epoch.
  void take_value(const std::string& name, double value, std::int64_t step) {
    if (name.starts_with("epoch_")) {
      held_.ended_epoch = step;
      held_.step.reset();
      held_.values.push_back({name.substr(6), value});
    } else {
      add_named_value(held_, name, value);
    }
  }

  void complete() {
    if (!held_.values.empty()) {
      samples_.push_back(std::exchange(held_, {}));
    }
    held_ = {};
  }

  RecordFrames frames_;
  Sample held_;
  std::vector<Sample> samples_;
};

}  // namespace tensorboard_metric

MetricSpec tensorboard() {
  return {.summary = "TensorBoard's event files",
          .preference = 1,
          .recognises = begins_with_frame,
          .open = [](const auto& /*file*/) {
            return std::make_unique<tensorboard_metric::TensorboardReader>();
          }};
}

}  // namespace epochcast::progress::sources::metrics
