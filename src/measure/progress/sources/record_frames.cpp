#include "src/measure/progress/sources/record_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>

#include "src/measure/progress/sources/wire_format.hpp"

namespace epochcast::progress::sources {
namespace {

constexpr std::size_t header_size = 12;
constexpr std::size_t footer_size = 4;
constexpr std::uint64_t longest_message = std::uint64_t{1} << 20;
constexpr std::uint64_t longest_possible = std::uint64_t{1} << 40;

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  return WireReader(bytes.substr(at, size)).fixed(size).value_or(0);
}

bool good_header(std::string_view bytes) {
  return number_at(bytes, 8, 4) == masked_crc32c(bytes.substr(0, 8)) &&
         number_at(bytes, 0, 8) < longest_possible;
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  constexpr std::uint32_t shift = 0xA282EAD8;
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> castagnoli;
  castagnoli.process_bytes(bytes.data(), bytes.size());
  const std::uint32_t crc = castagnoli.checksum();
  return ((crc >> 15U) | (crc << 17U)) + shift;
}

std::string frame_of(std::string_view message) {
  const auto length = little_endian(message.size(), 8);
  return length + little_endian(masked_crc32c(length), 4) + std::string(message) +
         little_endian(masked_crc32c(message), 4);
}

bool begins_with_frame(std::string_view bytes) {
  return bytes.size() >= header_size && good_header(bytes);
}

void RecordFrames::add(std::string_view bytes, const std::function<void(std::string_view)>& take) {
  const auto passed = static_cast<std::size_t>(std::min<std::uint64_t>(pass_over_, bytes.size()));
  pass_over_ -= passed;
  offset_ += passed;
  held_.append(bytes.substr(passed));
  std::string_view left = held_;
  while (!lost_) {
    const auto size = take_frame(left, take);
    if (size == 0) {
      break;
    }
    left.remove_prefix(size);
    offset_ += size;
  }
  held_ = lost_ ? "" : std::string(left);
}

std::size_t RecordFrames::take_frame(std::string_view bytes,
                                     const std::function<void(std::string_view)>& take) {
  if (bytes.size() < header_size) {
    return 0;
  }
  if (!good_header(bytes)) {
    remarks_.add("damaged lengths, after which it cannot be read",
                 fmt::format("at byte {}", offset_));
    lost_ = true;
    return 0;
  }
  const auto length = number_at(bytes, 0, 8);
  const auto whole = header_size + length + footer_size;
  if (length > longest_message) {
    const auto here = std::min<std::uint64_t>(whole, bytes.size());
    pass_over_ = whole - here;
    return static_cast<std::size_t>(here);
  }
  if (bytes.size() < whole) {
    return 0;
  }
  const auto message = bytes.substr(header_size, static_cast<std::size_t>(length));
  if (number_at(bytes, header_size + message.size(), footer_size) == masked_crc32c(message)) {
    take(message);
  } else {
    remarks_.add("messages are damaged", fmt::format("at byte {}", offset_));
  }
  return static_cast<std::size_t>(whole);
}

void RecordFrames::restart() {
  held_.clear();
  pass_over_ = 0;
  offset_ = 0;
  lost_ = false;
}

}  // namespace epochcast::progress::sources
