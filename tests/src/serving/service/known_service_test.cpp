// A service as a process: its options, its address file, and how it ends on a signal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <thread>

#include "src/base/core/text.hpp"
#include "src/base/process/command.hpp"
#include "src/base/process/spawn.hpp"
#include "tests/files.hpp"
#include "tests/serving/raw_client.hpp"

namespace epochcast::serve {
namespace {

using testing::HasSubstr;

const std::string program = std::string(EPOCHCAST_BINARY_DIR) + "/known_service";

class KnownService : public testing::TestWithParam<int> {
 protected:
  ~KnownService() override {
    if (service_.pid > 0) {
      kill(service_.pid, SIGKILL);
      waitpid(service_.pid, nullptr, 0);
    }
  }

  /// Starts it and waits for its address.
  void start(std::vector<std::string> options) {
    options.insert(options.begin(), {program, "--port=0", "--address-file=" + file_});
    service_ = process::spawn({.words = options, .die_with_parent = true});
    while (!std::filesystem::exists(file_)) {
      ASSERT_EQ(waitpid(service_.pid, nullptr, WNOHANG), 0) << "it ended before it was ready";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  std::uint16_t port() const {
    const std::string address{trim(bytes_of(file_))};
    return static_cast<std::uint16_t>(
        parse_integer(address.substr(address.rfind(':') + 1)).value_or(0));
  }
  int status_after(int signal) {
    kill(service_.pid, signal);
    int state = 0;
    waitpid(service_.pid, &state, 0);
    service_.pid = -1;
    return process::exit_status_of(state);
  }

  TemporaryFolder folder_;
  std::string file_ = folder_ / "address";
  process::Spawned service_;
};

TEST_P(KnownService, AnswersWhatItHasReceivedAndEndsWithStatus0) {
  start({"--a=50ms", "--c=0s", "--batch=1"});
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<RawClient>(port()));
    clients.back()->send(
        request_text("POST", "/predict", R"({"text": [")" + std::to_string(i) + R"("]})"));
  }
  RawClient asking(port());
  std::string page;
  while (page.find("epochcast_cache_misses_total 10\n") == std::string::npos) {
    asking.send(request_text("GET", "/metrics"));
    page = asking.receive().body;
  }
  EXPECT_EQ(status_after(GetParam()), 0);
  for (const auto& client : clients) {
    EXPECT_EQ(client->receive().status, 200);
  }
  EXPECT_FALSE(std::filesystem::exists(file_));
}

INSTANTIATE_TEST_SUITE_P(Signals, KnownService, testing::Values(SIGTERM, SIGUSR1, SIGINT),
                         [](const auto& each) {
                           return each.param == SIGTERM   ? "TERM"
                                  : each.param == SIGUSR1 ? "USR1"
                                                          : "INT";
                         });

/// Its status and what it said, for options that cannot be.
std::string refused_options(const std::string& option) {
  const auto result = process::run_command({program, option}, 20);
  return std::to_string(result.status) + " " + result.err;
}

TEST(KnownServiceOptions, ThatCannotBeAreRefusedInOneLine) {
  EXPECT_THAT(refused_options("--batch=0"),
              HasSubstr("2 known_service: error: --batch: found '0'"));
  EXPECT_THAT(refused_options("--port=70000"), HasSubstr("--port: found '70000'"));
  EXPECT_THAT(refused_options("--max-conections=3"), HasSubstr("did you mean"));
  EXPECT_THAT(refused_options("--host=no.such.host.invalid"),
              HasSubstr("the host 'no.such.host.invalid' has no address"));
  EXPECT_THAT(refused_options("--token-file=/no/such/file"), HasSubstr("/no/such/file"));
  EXPECT_THAT(refused_options("--redis=nowhere"), HasSubstr("--redis: found 'nowhere'"));
}

}  // namespace
}  // namespace epochcast::serve
