#include "src/base/core/error.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <new>

#include "src/base/core/registry.hpp"

namespace epochcast {
namespace {

struct Outcome {
  int status;
  std::string text;
};

Outcome outcome_of(const std::function<int()>& body) {
  testing::internal::CaptureStderr();
  const int status = run_program("epochcast-test", body);
  return {status, testing::internal::GetCapturedStderr()};
}

TEST(RunProgram, TurnsEveryEndIntoAStatusAndOneLine) {
  const struct {
    std::function<int()> body;
    int status;
    std::string text;
  } cases[] = {
      {[] { return 75; }, exit_stopped, ""},
      {[]() -> int { throw Error("a.yaml", 3, "unknown key 'x'"); }, exit_bad_input,
       "epochcast-test: error: a.yaml:3: unknown key 'x'\n"},
      {[]() -> int { throw RunError("disk full"); }, exit_failed,
       "epochcast-test: error: disk full\n"},
      {[]() -> int { throw std::runtime_error("CUDA error\nframe #0: ...\nframe #1: ..."); },
       exit_failed, "epochcast-test: error: CUDA error\n"},
      {[]() -> int { throw std::bad_alloc(); }, exit_failed,
       "epochcast-test: error: out of memory\n"},
      {[]() -> int { throw 7; }, exit_failed,
       "epochcast-test: error: an exception of unknown type\n"},
      {[]() -> int { throw Error("found 'a\nb', expected a name"); }, exit_bad_input,
       "epochcast-test: error: found 'a\\nb', expected a name\n"},
      {[]() -> int { throw Error("found '\x1b[2J\r\x7f', expected a name"); }, exit_bad_input,
       "epochcast-test: error: found '\\x1b[2J\\x0d\\x7f', expected a name\n"},
      {[]() -> int { throw std::runtime_error("bad \x1b]0;title\x07"); }, exit_failed,
       "epochcast-test: error: bad \\x1b]0;title\\x07\n"},
  };
  for (const auto& [body, status, text] : cases) {
    const auto outcome = outcome_of(body);
    EXPECT_EQ(outcome.status, status);
    EXPECT_EQ(outcome.text, text);
  }
}

TEST(RunProgram, FailsIfItsOutputDoesNotFit) {
  std::fflush(stdout);
  const int kept = dup(STDOUT_FILENO);
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  dup2(full, STDOUT_FILENO);
  const auto outcome = outcome_of([] {
    std::printf("short");
    return 0;
  });
  dup2(kept, STDOUT_FILENO);
  std::clearerr(stdout);
  close(full);
  close(kept);
  EXPECT_EQ(outcome.status, exit_failed);
  EXPECT_EQ(outcome.text,
            "epochcast-test: error: cannot write to standard output: No space left on device\n");
}

TEST(Registry, AnUnknownNameGetsTheNearestAsASuggestion) {
  const std::map<std::string, int> entries{{"dcgan", 1}, {"lenet", 2}};
  EXPECT_EQ(find_entry(entries, "model", "lenet"), 2);
  try {
    find_entry(entries, "model", "lenett");
    FAIL() << "no Error was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown model 'lenett'; did you mean 'lenet'?");
    EXPECT_EQ(error.status(), exit_bad_input);
  }
}

}  // namespace
}  // namespace epochcast
