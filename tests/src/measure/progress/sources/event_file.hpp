// Writes TensorBoard's event files, byte by byte.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "src/measure/progress/sources/record_frames.hpp"

namespace epochcast::tests {

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  return text;
}

inline std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) {
    text += static_cast<char>(value | 0x80);
  }
  return text + static_cast<char>(value);
}

inline std::string bytes_field(int number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

inline std::string frame(const std::string& message) {
  const auto length = little_endian(message.size(), 8);
  return length + little_endian(progress::sources::masked_crc32c(length), 4) + message +
         little_endian(progress::sources::masked_crc32c(message), 4);
}

inline std::string event(double since_1970_s, std::int64_t step, const std::string& value) {
  return frame(varint(1 << 3 | 1) + little_endian(std::bit_cast<std::uint64_t>(since_1970_s), 8) +
               varint(2 << 3) + varint(static_cast<std::uint64_t>(step)) +
               bytes_field(5, bytes_field(1, value)));
}

inline std::string simple_value(const std::string& tag, float value) {
  return bytes_field(1, tag) + varint(2 << 3 | 5) +
         little_endian(std::bit_cast<std::uint32_t>(value), 4);
}

inline std::string tensor_value(const std::string& tag, float value) {
  return bytes_field(1, tag) +
         bytes_field(8, varint(1 << 3) + varint(1) +
                            bytes_field(4, little_endian(std::bit_cast<std::uint32_t>(value), 4)));
}

inline std::string scalar(double since_1970_s, std::int64_t step, const std::string& tag,
                          float value) {
  return event(since_1970_s, step, simple_value(tag, value));
}

inline const std::string file_version =
    frame(varint(1 << 3 | 1) + little_endian(std::bit_cast<std::uint64_t>(1000.5), 8) +
          bytes_field(3, "brain.Event:2"));

}  // namespace epochcast::tests
