#include "src/base/core/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <sstream>
#include <thread>

#include "tests/files.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;

TEST(WriteFile, SaysWhetherTheFileIsFreshTheSameOrChanged) {
  const TemporaryFolder folder;
  const auto path = folder / "a";
  EXPECT_EQ(write_file(path, "one\n"), Written::fresh);
  EXPECT_EQ(write_file(path, "one\n"), Written::same);
  EXPECT_EQ(write_file(path, "two\n"), Written::changed);
  EXPECT_EQ(read_file(path), "two\n");
  EXPECT_EQ(entries_of(folder.path()).size(), 1U);
}

/// The script of a service waits until the file of its address is there, and then reads it.
TEST(WriteFile, ShowsAFreshFileOnlyOnceItIsWhole) {
  const TemporaryFolder folder;
  const auto path = folder / "address";
  std::atomic<int> partial{0};
  constexpr int rounds = 500;
  const std::string text(100, 'x');
  std::thread reader([&] {
    for (int seen = 0; seen < rounds;) {
      if (!std::filesystem::exists(path)) {
        continue;
      }
      partial += bytes_of(path) != text;
      std::filesystem::remove(path);
      ++seen;
    }
  });
  for (int i = 0; i < rounds; ++i) {
    write_file(path, text);
    while (std::filesystem::exists(path)) {
    }
  }
  reader.join();
  EXPECT_EQ(partial, 0);
}

std::string refusal_of(const std::filesystem::path& path) {
  try {
    read_file(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ReadFile, RefusesWhatHasNoEnd) {
  EXPECT_THAT(refusal_of("/dev/zero"), HasSubstr("found a device"));
  EXPECT_EQ(read_file("/dev/null"), "");
  const TemporaryFolder folder;
  const auto path = folder / "huge";
  write_file(path, "");
  std::filesystem::resize_file(path, std::uintmax_t(1) << 33);
  EXPECT_THAT(refusal_of(path), HasSubstr("more than 128 MiB"));
}

TEST(FileStream, FailsForAllButRegularFiles) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(file_stream(folder / "pipe"));
  EXPECT_FALSE(file_stream(folder.path()));
  EXPECT_FALSE(file_stream("/dev/zero"));
  write_file(folder / "a", "");
  EXPECT_TRUE(file_stream(folder / "a"));
}

TEST(WriteFile, NamesTheFileThatCannotBeWritten) {
  const TemporaryFolder folder;
  try {
    write_file(folder / "missing/a", "text");
    FAIL();
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("missing/a: cannot be written: No such file"));
  }
}

}  // namespace
}  // namespace epochcast
