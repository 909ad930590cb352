// A file in memory as the kernel maps it: pages are read when they are touched.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace epochcast::weights {

class MappedFile {
 public:
  /// Throws Error naming `path`: not there, no regular file, not to be read.
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  /// Valid as long as this, and as nobody makes the file shorter (then reading ends the process,
  /// SIGBUS).
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace epochcast::weights
