#include "src/training/weights/stored_zip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "src/base/core/error.hpp"
#include "src/base/core/strict_json.hpp"
#include "src/training/weights/bytes.hpp"

namespace epochcast::weights {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t local_mark = 0x04034b50;
constexpr std::uint32_t central_mark = 0x02014b50;
constexpr std::uint32_t end_mark = 0x06054b50;
constexpr std::uint32_t zip64_end_mark = 0x06064b50;
constexpr std::uint32_t zip64_locator_mark = 0x07064b50;
constexpr std::size_t end_size = 22, locator_size = 20, zip64_end_size = 56;
constexpr std::size_t central_size = 46, local_size = 30;
constexpr std::uint64_t in_zip64 = 0xffffffff;  // the 64-bit field has the value

/// Little-endian numbers at checked places.
class ZipReader {
 public:
  ZipReader(Bytes bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", where_, what));
  }

  Bytes part(std::uint64_t at, std::uint64_t size, const char* what) const {
    if (at > bytes_.size() || size > bytes_.size() - at) {
      fail(fmt::format("{} is outside the {} bytes of the file", what, bytes_.size()));
    }
    return bytes_.subspan(at, size);
  }

  std::uint64_t number(std::uint64_t at, std::size_t size, const char* what) const {
    return little_endian(part(at, size, what));
  }

  std::string text(std::uint64_t at, std::uint64_t size, const char* what) const {
    return std::string(as_text(part(at, size, what)));
  }

  std::size_t size() const { return bytes_.size(); }

 private:
  Bytes bytes_;
  const std::string& where_;
};

/// Where the list of entries begins, and how many there are.
struct ZipDirectory {
  std::uint64_t at = 0;
  std::uint64_t count = 0;
};

/// The end record is the last thing in the file but for a comment.
std::uint64_t end_record(const ZipReader& zip) {
  constexpr std::size_t longest_comment = 65535;
  const auto last = zip.size() < end_size ? 0 : zip.size() - end_size;
  for (std::size_t back = 0; zip.size() >= end_size && back <= std::min(last, longest_comment);
       ++back) {
    if (zip.number(last - back, 4, "the end record") == end_mark) {
      return last - back;
    }
  }
  zip.fail("found no end of a zip file: is it whole?");
}

ZipDirectory directory_of(const ZipReader& zip) {
  const auto end = end_record(zip);
  ZipDirectory directory{zip.number(end + 16, 4, "the end record"),
                         zip.number(end + 10, 2, "the end record")};
  if (end < locator_size ||
      zip.number(end - locator_size, 4, "the locator") != zip64_locator_mark) {
    return directory;
  }
  const auto zip64 = zip.number(end - locator_size + 8, 8, "the locator");
  zip.part(zip64, zip64_end_size, "the ZIP64 end record");
  if (zip.number(zip64, 4, "the ZIP64 end record") != zip64_end_mark) {
    zip.fail("found no ZIP64 end record where the locator says");
  }
  return {zip.number(zip64 + 48, 8, "the ZIP64 end record"),
          zip.number(zip64 + 32, 8, "the ZIP64 end record")};
}

/// One entry of the list.
struct ZipEntry {
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t local_at = 0;
  std::uint64_t next_at = 0;  ///< Of the next entry in the list.
};

/// Takes the values that the 32-bit fields could not hold, in their order: size, compressed size,
/// place.
void read_zip64(const ZipReader& zip, std::uint64_t at, std::uint64_t end, ZipEntry& entry,
                std::uint64_t& stored_size) {
  while (at + 4 <= end) {
    const auto id = zip.number(at, 2, "an extra field");
    const auto length = zip.number(at + 2, 2, "an extra field");
    if (id == 1) {
      auto value_at = at + 4;
      for (auto* value : {&entry.size, &stored_size, &entry.local_at}) {
        if (*value == in_zip64 && value_at + 8 <= at + 4 + length) {
          *value = zip.number(value_at, 8, "a ZIP64 field");
          value_at += 8;
        }
      }
    }
    at += 4 + length;
  }
}

ZipEntry entry_at(const ZipReader& zip, std::uint64_t at) {
  constexpr const char* what = "an entry of the list";
  if (zip.number(at, 4, what) != central_mark) {
    zip.fail("found no entry where the list of entries goes on");
  }
  const auto flags = zip.number(at + 8, 2, what);
  const auto method = zip.number(at + 10, 2, what);
  auto stored_size = zip.number(at + 20, 4, what);
  const auto name_size = zip.number(at + 28, 2, what);
  const auto extra_size = zip.number(at + 30, 2, what);
  const auto comment_size = zip.number(at + 32, 2, what);
  ZipEntry entry{.name = zip.text(at + central_size, name_size, what),
                 .size = zip.number(at + 24, 4, what),
                 .local_at = zip.number(at + 42, 4, what),
                 .next_at = at + central_size + name_size + extra_size + comment_size};
  const auto extra_at = at + central_size + name_size;
  zip.part(extra_at, extra_size, "an extra field");
  read_zip64(zip, extra_at, extra_at + extra_size, entry, stored_size);
  constexpr std::uint64_t encrypted = 1;
  if (method != 0 || (flags & encrypted) != 0 || stored_size != entry.size) {
    zip.fail(fmt::format("entry {}: is compressed or encrypted, expected stored as it is",
                         shown_name(entry.name)));
  }
  return entry;
}

Bytes entry_bytes(const ZipReader& zip, const ZipEntry& entry) {
  constexpr const char* what = "an entry";
  if (zip.number(entry.local_at, 4, what) != local_mark) {
    zip.fail(fmt::format("entry {}: does not begin where the list says", shown_name(entry.name)));
  }
  const auto name_size = zip.number(entry.local_at + 26, 2, what);
  const auto extra_size = zip.number(entry.local_at + 28, 2, what);
  return zip.part(entry.local_at + local_size + name_size + extra_size, entry.size, what);
}

}  // namespace

bool is_zip(Bytes bytes) {
  const std::string where;
  return bytes.size() >= 4 && ZipReader(bytes, where).number(0, 4, "") == local_mark;
}

std::map<std::string, Bytes> stored_entries(Bytes bytes, const std::string& where) {
  const ZipReader zip(bytes, where);
  const auto directory = directory_of(zip);
  std::map<std::string, Bytes> entries;
  auto at = directory.at;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    const auto entry = entry_at(zip, at);
    if (!entries.emplace(entry.name, entry_bytes(zip, entry)).second) {
      zip.fail(fmt::format("entry {}: is there twice", shown_name(entry.name)));
    }
    at = entry.next_at;
  }
  return entries;
}

}  // namespace epochcast::weights
