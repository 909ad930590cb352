#include "src/training/image/idx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/process/command.hpp"
#include "tests/files.hpp"
#include "tests/fuzz.hpp"

namespace epochcast::image {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;

const std::string header = "\0\0\x8\x2\0\0\0\x2\0\0\0\x3"s;

class Idx : public ::testing::Test {
 protected:
  std::string error_with(const std::string& bytes) const {
    set_bytes(file, bytes);
    return error_of([&] { read_idx(folder.path(), "f", 2); });
  }
  const TemporaryFolder folder;
  const std::string file = folder / "f";
};

TEST_F(Idx, IsReadPlainAndPacked) {
  set_bytes(file, header + "abcdef");
  const auto plain = read_idx(folder.path(), "f", 2);
  EXPECT_THAT(plain.sizes, ElementsAre(2, 3));
  EXPECT_EQ(plain.bytes, "abcdef");
  ASSERT_EQ(std::system(("gzip " + file).c_str()), 0);
  EXPECT_EQ(read_idx(folder.path(), "f", 2).bytes, "abcdef");
}

TEST_F(Idx, ReportsWhatIsWrongWithAFile) {
  EXPECT_EQ(error_of([&] { read_idx(folder.path(), "f", 2); }),
            file + ": not there, neither as f.gz");
  EXPECT_EQ(error_with("<html>"),
            file + ": found the magic number 0x3c68746d, expected 0x802: IDX, bytes, 2 dimensions");
  EXPECT_EQ(error_with(""),
            file + ": found the magic number 0x0, expected 0x802: IDX, bytes, 2 dimensions");
  EXPECT_EQ(error_with(header + "abcde"),
            file + ": found 5 bytes after the header, expected 2 x 3 by the header");
  EXPECT_EQ(error_with(header + "abcdefg"),
            file + ": found 7 bytes after the header, expected 2 x 3 by the header");
  EXPECT_EQ(error_with(header.substr(0, 6)), file + ": found 6 bytes, expected a header of 12");
}

TEST_F(Idx, SizesWhoseProductIsBeyondAnyNumberAreRefused) {
  const auto line = ": found 0 bytes after the header, expected ";
  EXPECT_EQ(error_with("\0\0\x8\x2\xff\xff\xff\xff\xff\xff\xff\xff"s),
            file + line + "4294967295 x 4294967295 by the header");
  set_bytes(file, "\0\0\x8\x3\x80\0\0\0\x80\0\0\0\0\0\0\x4"s);  // 2^64, of which a word holds 0
  EXPECT_EQ(error_of([&] { read_idx(folder.path(), "f", 3); }),
            file + line + "2147483648 x 2147483648 x 4 by the header");
}

TEST_F(Idx, ATruncatedArchiveIsNamed) {
  set_bytes(file, header + "abcdef");
  ASSERT_EQ(std::system(("gzip " + file).c_str()), 0);
  const auto packed = bytes_of(file + ".gz");
  set_bytes(file + ".gz", packed.substr(0, packed.size() - 9));
  EXPECT_THAT(error_of([&] { read_idx(folder.path(), "f", 2); }),
              ::testing::StartsWith(file + ".gz: gzip: "));
}

TEST(IdxFuzz, DamagedFilesGiveTheirBytesOrOneLine) {
  const TemporaryFolder folder;
  const auto file = folder / "f";
  const auto plain = "\0\0\x8\x3\0\0\0\x2\0\0\0\x3\0\0\0\x4"s + "two pictures of 3 by 4..";
  set_bytes(file, plain);
  ASSERT_EQ(std::system(("gzip --keep " + file).c_str()), 0);
  const auto packed = bytes_of(file + ".gz");
  std::filesystem::remove(file + ".gz");  // else it is read; that bytes are packed they tell
  tests::Damage damage(
      5, {"\xff", "\xff\xff\xff\xff", "\x80\0\0\0"s, "\0\0\0\0"s, "\0"s, "\x1f\x8b\x8"s});
  tests::fuzz(tests::fuzz_inputs(2'000), file + ": ", [&] {
    const auto bytes = damage.of(damage.below(4) == 0 ? packed : plain);
    tests::rewrite(file, bytes);
    const auto read = read_idx(folder.path(), "f", 3);
    ASSERT_EQ(read.sizes.size(), 3U);
    ASSERT_EQ(double(read.sizes[0]) * double(read.sizes[1]) * double(read.sizes[2]),
              double(read.bytes.size()));
    if (!bytes.starts_with("\x1f\x8b")) {
      ASSERT_EQ(read.bytes, bytes.substr(16));
    }
  });
}

}  // namespace
}  // namespace epochcast::image
