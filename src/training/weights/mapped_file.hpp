// A memory-mapped file: pages are read on first access.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace epochcast::weights {

class MappedFile {
 public:
  /// Throws Error naming `path` if it does not exist, is not a regular file, or cannot be read.
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  /// Valid during the lifetime of this object, unless the file is truncated: reading then ends the
  /// process (SIGBUS).
  std::span<const std::byte> bytes() const { return bytes_; }

  /// Takes the pages of `part`, a part of bytes(), out of the memory of this process. They are read
  /// again if they are used again.
  void forget(std::span<const std::byte> part) const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace epochcast::weights
