#include "src/training/image/idx.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"

namespace epochcast::image {
namespace {

constexpr std::size_t word = 4;
/// In the magic number, whose last byte is the number of dimensions.
constexpr std::uint32_t unsigned_bytes = 0x800;

std::string plain_or_gzip(const std::string& folder, const std::string& name) {
  for (const auto& path : {folder + "/" + name + ".gz", folder + "/" + name}) {
    if (std::filesystem::exists(path)) {
      return path;
    }
  }
  throw Error(fmt::format("{}/{}: not there, neither as {}.gz", folder, name, name));
}

/// The big-endian number at word `index`; bytes after the end count as 0.
std::uint32_t number_at(const std::string& text, std::size_t index) {
  std::uint32_t number = 0;
  for (std::size_t i = index * word; i < (index + 1) * word; ++i) {
    number = number << 8U | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return number;
}

}  // namespace

IdxFile read_idx(const std::string& folder, const std::string& name, std::size_t dimensions) {
  const auto path = plain_or_gzip(folder, name);
  const auto text = read_text_or_gzip(path);
  const auto expected = static_cast<std::uint32_t>(unsigned_bytes + dimensions);
  if (const auto found = number_at(text, 0); found != expected) {
    throw Error(
        fmt::format("{}: found the magic number {:#x}, expected {:#x}: IDX, bytes, {} dimensions",
                    path, found, expected, dimensions));
  }
  const auto header = (dimensions + 1) * word;
  if (text.size() < header) {
    throw Error(
        fmt::format("{}: found {} bytes, expected a header of {}", path, text.size(), header));
  }
  IdxFile file;
  double count = 1;  // exact up to 2^53, more than a file has; integers could overflow
  for (std::size_t i = 1; i <= dimensions; ++i) {
    file.sizes.push_back(number_at(text, i));
    count *= double(file.sizes.back());
  }
  file.bytes = text.substr(header);
  if (double(file.bytes.size()) != count) {
    throw Error(fmt::format("{}: found {} bytes after the header, expected {} by the header", path,
                            file.bytes.size(), fmt::join(file.sizes, " x ")));
  }
  return file;
}

}  // namespace epochcast::image
