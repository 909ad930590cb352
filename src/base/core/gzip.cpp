#include "src/base/core/gzip.hpp"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"

namespace epochcast {

std::string read_text_or_gzip(const std::string& path) {
  require_no_pipe(path);
  errno = 0;  // zlib does not set it if the reason is its own
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (file == nullptr) {
    throw Error(path + ": cannot be read: " + std::strerror(errno));
  }
  std::string text;
  std::array<char, 1 << 16> buffer{};
  int got = 0;
  while ((got = gzread(file.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  int status = Z_OK;
  const char* reason = gzerror(file.get(), &status);
  if (status == Z_ERRNO) {
    throw Error(path + ": cannot be read: " + std::strerror(errno));
  }
  if (got < 0 || status != Z_OK) {  // a truncated file yields its first part and Z_BUF_ERROR
    throw RunError(path + ": gzip: " + reason);
  }
  return text;
}

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace epochcast
