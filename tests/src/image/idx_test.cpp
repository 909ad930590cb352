#include "src/image/idx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/slurm/command.hpp"
#include "tests/files.hpp"

namespace epochcast {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;

const std::string header = "\0\0\x8\x2\0\0\0\x2\0\0\0\x3"s;

class Idx : public testing::Test {
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

TEST_F(Idx, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(error_of([&] { read_idx(folder.path(), "f", 2); }),
            file + ": not there, neither as f.gz");
  EXPECT_EQ(error_with("<html>"),
            file + ": found the magic number 0x3c68746d, expected 0x802: IDX, bytes, 2 dimensions");
  EXPECT_EQ(error_with(""),
            file + ": found the magic number 0x0, expected 0x802: IDX, bytes, 2 dimensions");
  EXPECT_EQ(error_with(header + "abcde"),
            file + ": found 5 bytes behind the header, expected 6 as it says");
  EXPECT_EQ(error_with(header + "abcdefg"),
            file + ": found 7 bytes behind the header, expected 6 as it says");
  EXPECT_EQ(error_with(header.substr(0, 6)), file + ": found 6 bytes, expected a header of 12");
}

TEST_F(Idx, ATruncatedArchiveIsNamed) {
  set_bytes(file, header + "abcdef");
  ASSERT_EQ(std::system(("gzip " + file).c_str()), 0);
  const auto packed = bytes_of(file + ".gz");
  set_bytes(file + ".gz", packed.substr(0, packed.size() - 9));
  EXPECT_THAT(error_of([&] { read_idx(folder.path(), "f", 2); }),
              testing::StartsWith(file + ".gz: gzip: "));
}

}  // namespace
}  // namespace epochcast
