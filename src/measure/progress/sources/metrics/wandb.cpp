// The file run-ID.wandb of an offline run of Weights & Biases: LevelDB's log of Record messages
// (wandb_internal.proto), of which the history is read, and of the run when it began. A block has
// 32 KiB; a message is one piece, or a first, middle and last piece, each after checksum, length
// and kind.
#include <array>
#include <string>

#include "src/base/core/text.hpp"
#include "src/measure/progress/sources/metric_spec.hpp"
#include "src/measure/progress/sources/wire_format.hpp"

namespace epochcast::progress::sources::metrics {
namespace wandb_metric {

constexpr std::string_view magic = ":W&B";
constexpr std::size_t file_header = 7;
constexpr std::size_t piece_header = 7;
constexpr std::size_t block_size = 32768;
constexpr std::size_t longest_message = std::size_t{1} << 24;
constexpr std::int64_t largest_step = std::int64_t{1} << 53;

/// HistoryItem: a key, or its parts, and a value in JSON, or a number.
void take_item(std::string_view message, Sample& sample) {
  std::string name;
  std::optional<double> value;
  WireReader item(message);
  while (const auto field = item.next()) {
    if (field->is(1, WireType::bytes)) {
      name = field->bytes;
    } else if (field->is(2, WireType::bytes)) {
      name.append(name.empty() ? "" : ".").append(field->bytes);
    } else if (field->is(16, WireType::bytes)) {
      value = parse_double(field->bytes);
    } else if (field->is(5, WireType::varint)) {
      value = static_cast<double>(static_cast<std::int64_t>(field->value));
    } else if (field->is(6, WireType::fixed64)) {
      value = field->as_double();
    }
  }
  if (!item.at_end() || !value) {
    return;  // a text, a picture, a table
  }
  if (name == "_timestamp") {
    sample.since_1970_s = *value;
  } else if (name == "_step") {
    if (*value >= 0 && *value < static_cast<double>(largest_step)) {
      sample.step = static_cast<std::int64_t>(*value);
    }
  } else if (!name.starts_with('_')) {
    add_named_value(sample, name, *value);
  }
}

/// RunRecord: its start_time, seconds and nanoseconds since 1970.
std::optional<double> began_s_of(std::string_view message) {
  constexpr std::uint64_t largest_s = std::uint64_t{1} << 40;
  WireReader run(message);
  while (const auto field = run.next()) {
    if (!field->is(17, WireType::bytes)) {
      continue;
    }
    std::array<std::uint64_t, 2> parts{};
    WireReader start(field->bytes);
    while (const auto part = start.next()) {
      if (part->type == WireType::varint && (part->number == 1 || part->number == 2)) {
        parts.at(part->number - 1) = part->value;
      }
    }
    if (parts[0] > 0 && parts[0] < largest_s && parts[1] < 1'000'000'000) {
      return static_cast<double>(parts[0]) + static_cast<double>(parts[1]) / 1e9;
    }
  }
  return std::nullopt;
}

class WandbReader : public MetricReader {
 public:
  std::vector<Sample> read(std::string_view bytes) override {
    samples_.clear();
    held_ += bytes;
    while (take_piece()) {
    }
    return std::move(samples_);
  }
  void restart() override { *this = WandbReader(); }
  const Remarks& remarks() const override { return remarks_; }

 private:
  /// Returns whether there may be another one.
  bool take_piece() {
    const auto in_block = block_size - offset_ % block_size;
    const auto skipped =
        offset_ == 0 ? file_header : (in_block < piece_header ? in_block : std::size_t{0});
    if (skipped > 0) {
      return take(skipped).has_value();
    }
    if (held_.size() < piece_header || lost_) {
      return false;
    }
    const auto size = WireReader(std::string_view(held_).substr(4)).fixed(2).value_or(0);
    const auto kind = static_cast<unsigned char>(held_[6]);
    if (kind < 1 || kind > 4 || piece_header + size > in_block) {
      lost_ = true;
      remarks_.add("damaged: the rest was not read", "byte " + std::to_string(offset_));
      return false;
    }
    const auto piece = take(piece_header + static_cast<std::size_t>(size));
    if (!piece) {
      return false;
    }
    const bool begins = kind == 1 || kind == 2;
    message_ = begins ? piece->substr(piece_header) : message_ + piece->substr(piece_header);
    if (message_.size() > longest_message) {
      message_.clear();
    }
    if (kind == 1 || kind == 4) {
      take_record(message_);
    }
    return true;
  }

  /// So many bytes, if they are there.
  std::optional<std::string> take(std::size_t size) {
    if (held_.size() < size) {
      return std::nullopt;
    }
    auto bytes = held_.substr(0, size);
    held_.erase(0, size);
    offset_ += size;
    return bytes;
  }

  void take_record(std::string_view message) {
    WireReader record(message);
    while (const auto field = record.next()) {
      Sample sample;
      if (field->is(17, WireType::bytes)) {
        if ((sample.since_1970_s = began_s_of(field->bytes))) {
          samples_.push_back(std::move(sample));
        }
        continue;
      }
      if (!field->is(2, WireType::bytes)) {
        continue;
      }
      WireReader history(field->bytes);
      while (const auto part = history.next()) {
        if (part->is(1, WireType::bytes)) {
          take_item(part->bytes, sample);
        } else if (part->is(2, WireType::bytes)) {
          WireReader step(part->bytes);
          if (const auto number = step.next();
              number && number->is(1, WireType::varint) && number->value < largest_step) {
            sample.step = static_cast<std::int64_t>(number->value);
          }
        }
      }
      if (!sample.values.empty()) {
        samples_.push_back(std::move(sample));
      }
    }
  }

  std::string held_;
  std::string message_;
  std::size_t offset_ = 0;  ///< In the file, of `held_`.
  bool lost_ = false;
  std::vector<Sample> samples_;
  Remarks remarks_;
};

}  // namespace wandb_metric

MetricSpec wandb() {
  return {
      .summary = "run-ID.wandb of an offline run of Weights & Biases",
      .preference = 0,
      .recognises = [](std::string_view head) { return head.starts_with(wandb_metric::magic); },
      .open = [](const auto& /*file*/) { return std::make_unique<wandb_metric::WandbReader>(); }};
}

}  // namespace epochcast::progress::sources::metrics
