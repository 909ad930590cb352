#include "src/measure/progress/sources/wire_format.hpp"

namespace epochcast::progress::sources {

std::optional<WireField> WireReader::next() {
  if (rest_.empty() || broken_) {
    return std::nullopt;
  }
  const auto tag = varint();
  if (!tag || *tag >> 3 == 0) {
    broken();
    return std::nullopt;
  }
  WireField field{.number = *tag >> 3, .type = static_cast<WireType>(*tag & 7), .bytes = {}};
  std::optional<std::uint64_t> value;
  switch (field.type) {
    case WireType::varint:
    case WireType::bytes:
      value = varint();
      break;
    case WireType::fixed64:
      value = fixed(8);
      break;
    case WireType::fixed32:
      value = fixed(4);
      break;
    default:  // groups, which no event has
      value = broken();
  }
  if (value && field.type == WireType::bytes) {
    if (*value > rest_.size()) {
      value = broken();
    } else {
      field.bytes = rest_.substr(0, static_cast<std::size_t>(*value));
      rest_.remove_prefix(field.bytes.size());
    }
  }
  if (!value) {
    return std::nullopt;
  }
  field.value = *value;
  return field;
}

std::optional<std::uint64_t> WireReader::varint() {
  constexpr unsigned most_bits = 64;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < most_bits && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80U) == 0) {
      return value;
    }
  }
  return broken();
}

std::optional<std::uint64_t> WireReader::fixed(std::size_t size) {
  if (rest_.size() < size) {
    return broken();
  }
  std::uint64_t value = 0;
  for (std::size_t i = size; i > 0; --i) {
    value = value << 8U | static_cast<unsigned char>(rest_[i - 1]);
  }
  rest_.remove_prefix(size);
  return value;
}

std::optional<std::uint64_t> WireReader::broken() {
  broken_ = true;
  return std::nullopt;
}

std::string little_endian(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
  }
  return bytes;
}

void WireWriter::add_varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) {
    text_ += static_cast<char>((value & 0x7FU) | 0x80U);
  }
  text_ += static_cast<char>(value);
}

void WireWriter::add_tag(std::uint64_t number, WireType type) {
  add_varint(number << 3U | static_cast<std::uint64_t>(type));
}

WireWriter& WireWriter::varint(std::uint64_t number, std::uint64_t value) {
  add_tag(number, WireType::varint);
  add_varint(value);
  return *this;
}

WireWriter& WireWriter::fixed64(std::uint64_t number, double value) {
  add_tag(number, WireType::fixed64);
  text_ += little_endian(std::bit_cast<std::uint64_t>(value), 8);
  return *this;
}

WireWriter& WireWriter::fixed32(std::uint64_t number, float value) {
  add_tag(number, WireType::fixed32);
  text_ += little_endian(std::bit_cast<std::uint32_t>(value), 4);
  return *this;
}

WireWriter& WireWriter::bytes(std::uint64_t number, std::string_view value) {
  add_tag(number, WireType::bytes);
  add_varint(value.size());
  text_ += value;
  return *this;
}

}  // namespace epochcast::progress::sources
