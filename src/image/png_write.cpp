#include "src/image/png_write.hpp"

#include <fmt/format.h>
#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "src/core/error.hpp"

namespace epochcast::image {
namespace {

RunError cannot_write(const std::string& path, const char* reason) {
  return RunError(fmt::format("{}: cannot be written: {}", path, reason));
}

std::vector<char> encode(const std::string& path, const Image& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = png_uint_32(image.width);
  png.height = png_uint_32(image.height);
  png.format = PNG_FORMAT_RGB;
  std::vector<char> bytes;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  bytes.resize(size);
  if (png_image_write_to_memory(&png, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr) ==
      0) {
    throw cannot_write(path, png.message);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

void write_png(const std::string& path, const Image& image) {
  const std::vector<char> bytes = encode(path, image);
  const std::string partial = fmt::format("{}.{}.partial", path, getpid());
  std::FILE* file = std::fopen(partial.c_str(), "wb");
  if (file == nullptr) {
    throw cannot_write(path, std::strerror(errno));
  }
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed || std::rename(partial.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    std::remove(partial.c_str());
    throw cannot_write(path, std::strerror(reason));
  }
}

}  // namespace epochcast::image
