// Reads and writes protobuf's wire format, field after field, without a schema: what the few
// numbers of a TensorBoard event need. Nothing read is copied or nests by itself, so no bytes can
// do harm.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace epochcast::progress::sources {

enum class WireType { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
  std::uint64_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;  ///< Of all but `bytes`.
  std::string_view bytes;

  bool is(std::uint64_t wanted, WireType of) const { return number == wanted && type == of; }
  double as_double() const { return std::bit_cast<double>(value); }
  float as_float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(value)); }
};

class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// The next field; std::nullopt at the end, and where the bytes are no message.
  std::optional<WireField> next();
  /// A number of a packed field.
  std::optional<std::uint64_t> varint();
  std::optional<std::uint64_t> fixed(std::size_t size);
  /// Whether all was read, without damage.
  bool at_end() const { return rest_.empty() && !broken_; }

 private:
  std::optional<std::uint64_t> broken();

  std::string_view rest_;
  bool broken_ = false;
};

class WireWriter {
 public:
  WireWriter& varint(std::uint64_t number, std::uint64_t value);
  WireWriter& fixed64(std::uint64_t number, double value);
  WireWriter& fixed32(std::uint64_t number, float value);
  WireWriter& bytes(std::uint64_t number, std::string_view value);
  const std::string& text() const { return text_; }

 private:
  void add_tag(std::uint64_t number, WireType type);
  void add_varint(std::uint64_t value);

  std::string text_;
};

/// The number as `size` bytes, the lowest first.
std::string little_endian(std::uint64_t value, std::size_t size);

}  // namespace epochcast::progress::sources
