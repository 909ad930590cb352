
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "src/base/core/files.hpp"
#include "src/base/core/gzip.hpp"
#include "tests/files.hpp"

namespace epochcast {
namespace {

TEST(InputFile, IsNoNamedPipe) {
  const TemporaryFolder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto expected =
      pipe + ": found a named pipe, expected a file (/dev/stdin reads from a pipe)";
  EXPECT_EQ(error_of([&] { read_file(pipe); }), expected);
  EXPECT_EQ(error_of([&] { read_text_or_gzip(pipe); }), expected);
  std::filesystem::create_symlink("pipe", folder / "link");
  EXPECT_NE(error_of([&] { read_file(folder / "link"); }), "");
}

TEST(InputFile, MayBeAPipeOfTheShell) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(write(ends[1], "abc", 3), 3);
  close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0])), "abc");
  close(ends[0]);
}

TEST(InputFile, IsNamedIfAnotherStandsInItsPlace) {
  const auto error = [](const char* head) {
    return error_of([&] { require_no_stand_in("vocab.txt", head); });
  };
  EXPECT_EQ(error("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"),
            "vocab.txt: found a Git LFS pointer, not the file itself; `git lfs pull` in its folder "
            "fetches the file");
  for (const auto* page : {"<!DOCTYPE html><html>", "\n  <html lang='en'>", "<HTML>"}) {
    EXPECT_EQ(error(page),
              "vocab.txt: found an HTML page, not the file itself; the download saved the page of "
              "a web site: use the address of the file");
  }
  require_no_stand_in("vocab.txt", "[PAD]\nversion\n");
  require_no_stand_in("vocab.txt", "");
}

}  // namespace
}  // namespace epochcast
