#include "src/training/image/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/training/image/codec.hpp"

namespace epochcast::image {
namespace {

using namespace std::string_view_literals;

struct Format {
  std::string_view name;
  std::string_view magic;
  /// nullptr: recognized, but not supported.
  Image (*decode)(std::span<const std::uint8_t> bytes, std::int64_t max_pixels);
};

constexpr std::array formats{
    Format{"PNG", "\x89PNG\r\n\x1a\n"sv, codec::decode_png},
    Format{"JPEG", "\xff\xd8\xff"sv, codec::decode_jpeg},
    Format{"GIF", "GIF8"sv, nullptr},
    Format{"BMP", "BM"sv, nullptr},
    Format{"TIFF", "II*\0"sv, nullptr},
    Format{"TIFF", "MM\0*"sv, nullptr},
    Format{"WebP", "RIFF"sv, nullptr},
};
constexpr std::size_t longest_magic = 8;

/// The format of a file that begins with `bytes`. Throws Error if it is not supported.
const Format& image_format(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto format = std::find_if(formats.begin(), formats.end(), [&](const Format& known) {
    return text.starts_with(known.magic);
  });
  if (bytes.empty()) {
    throw Error("empty file, expected PNG or JPEG");
  }
  if (format == formats.end()) {
    require_no_stand_in("content", text);
    throw Error("found neither PNG nor JPEG content");
  }
  if (format->decode == nullptr) {
    throw Error(fmt::format("found {} content, expected PNG or JPEG", format->name));
  }
  return *format;
}

/// Runs `body` and prefixes its errors with `name`.
template <class Body>
auto naming(const std::string& name, Body body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()), error.status());
  }
}

/// The first `limit` bytes of a file, or the whole file if it is shorter.
std::vector<std::uint8_t> read_bytes(const std::string& path, std::size_t limit) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? std::streamoff(file.tellg()) : -1;
  if (size < 0) {
    throw Error(fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  std::vector<std::uint8_t> bytes(std::min(std::size_t(size), limit));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(bytes.size()))) {
    throw Error(fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  return bytes;
}

}  // namespace

void codec::check_size(std::int64_t width, std::int64_t height, const SizeLimits& limits) {
  // Deflate compresses at most 1032 times, to 8256 one-bit pixels per byte; JPEG stays far below.
  constexpr std::int64_t max_pixels_per_byte = 10'000;
  if (width <= 0 || height <= 0) {
    throw Error(fmt::format("found a picture of {} x {} pixels", width, height));
  }
  if (width > limits.max_pixels / height) {
    throw Error(fmt::format("found a picture of {} x {} pixels, expected at most {} million pixels",
                            width, height, limits.max_pixels / 1'000'000));
  }
  // What JPEG can have at most. A PNG of more rows costs many times what its pixels do.
  constexpr std::int64_t max_side = 65'535;
  if (width > max_side || height > max_side) {
    throw Error(fmt::format("found a picture of {} x {} pixels, expected at most {} on each side",
                            width, height, max_side));
  }
  if (width * height / max_pixels_per_byte > std::int64_t(limits.file_bytes)) {
    throw Error(
        fmt::format("found {} bytes for a picture of {} x {} pixels, which cannot be all of it",
                    limits.file_bytes, width, height));
  }
}

Image decode_image(std::span<const std::uint8_t> bytes, const std::string& name,
                   std::int64_t max_pixels) {
  return naming(name, [&] { return image_format(bytes).decode(bytes, max_pixels); });
}

Image read_image(const std::string& path) {
  // No image within the limit needs more, even uncompressed with 16 bits and four channels.
  constexpr std::size_t max_file_bytes = std::size_t(max_image_pixels) * 8 + (1U << 20);
  return naming(path, [&] {
    const std::vector<std::uint8_t> bytes = read_bytes(path, max_file_bytes);
    return image_format(bytes).decode(bytes, max_image_pixels);
  });
}

void check_image_header(const std::string& path) {
  naming(path, [&] { image_format(read_bytes(path, longest_magic)); });
}

}  // namespace epochcast::image
