#include "src/base/core/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "src/base/core/error.hpp"

namespace epochcast {

std::string read_text_or_gzip(const std::string& path, std::size_t most_mib) {
  std::string text;
  read_parts_or_gzip(path, [&](std::string_view part) {
    text += part;
    if (text.size() > most_mib << 20) {
      throw Error(fmt::format("{}: found more than {} MiB of text; give a part of it at a time",
                              path, most_mib));
    }
  });
  return text;
}

void read_parts_or_gzip(const std::string& path,
                        const std::function<void(std::string_view)>& take) {
  require_no_pipe(path);
  errno = 0;  // zlib does not set it if the reason is its own
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (file == nullptr) {
    throw Error(path + ": cannot be read: " + std::strerror(errno));
  }
  std::array<char, 1 << 16> buffer{};
  int got = 0;
  while ((got = gzread(file.get(), buffer.data(), buffer.size())) > 0) {
    take({buffer.data(), static_cast<std::size_t>(got)});
  }
  int status = Z_OK;
  const char* reason = gzerror(file.get(), &status);
  if (status == Z_ERRNO) {
    throw Error(path + ": cannot be read: " + std::strerror(errno));
  }
  if (got < 0 || status != Z_OK) {  // a truncated file yields its first part and Z_BUF_ERROR
    throw RunError(path + ": gzip: " + reason);
  }
}

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace epochcast
