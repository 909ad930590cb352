// epochcast-load as a whole, with a service whose micro-batches take a known time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/base/core/files.hpp"
#include "src/base/process/command.hpp"
#include "src/record/queries.hpp"
#include "src/record/reader.hpp"
#include "src/record/serving_queries.hpp"
#include "tests/files.hpp"
#include "tests/raw_server.hpp"

namespace epochcast::load {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

const std::string known_service = EPOCHCAST_BINARY_DIR "/known_service";

class LoadProgram : public ::testing::Test {
 protected:
  process::CommandResult run(const Words& options, const Words& command = {},
                             const std::map<std::string, std::string>& environment = {}) const {
    Words words{EPOCHCAST_BINARY_DIR "/epochcast-load", "--records=" + (folder / "records"),
                "--point=p", "--telemetry=200ms"};
    words.insert(words.end(), options.begin(), options.end());
    if (!command.empty()) {
      words.emplace_back("--");
      words.insert(words.end(), command.begin(), command.end());
    }
    std::map<std::string, std::string> all{{"EPOCHCAST_JOB_ID", "local-1"}};
    all.insert(environment.begin(), environment.end());
    return process::run_command(words, 120, all);
  }
  /// known_service, with its address in a file.
  process::CommandResult run_with_service(Words options, Words more = {}) const {
    options.push_back("--address-file=" + (folder / "address"));
    Words command{known_service, "--port=0", "--address-file=" + (folder / "address"), "--a=2ms",
                  "--c=0.5ms"};
    command.insert(command.end(), more.begin(), more.end());
    return run(options, command);
  }
  record::Record recorded() const { return record::read_record(folder / "records/p-local-1.h5"); }

  TemporaryFolder folder;
};

TEST_F(LoadProgram, StartsTheServiceAndRecordsTheLoad) {
  const auto result = run_with_service({"--arrivals=constant", "--stages=20/s:1s,40/s:1s",
                                        "--cached=0.5", "--parameter=serve.batch=32"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("40/s"));
  EXPECT_THAT(result.err, HasSubstr("known_service: ended"));
  const auto record = recorded();
  EXPECT_EQ(record.header.outcome.view(), "complete");
  ASSERT_EQ(record.serving_stages.size(), 2U);
  EXPECT_EQ(record.serving_stages[0].answered, 20);
  EXPECT_EQ(record.serving_stages[1].answered, 40);
  EXPECT_EQ(record::latencies_of(record.serving_latencies, 1).count(), 40);
  EXPECT_GE(record.serving_seconds.size(), 2U);
  EXPECT_FALSE(record.serving_passes.empty());
  for (const auto& pass : record.serving_passes) {
    EXPECT_GE(pass.sum_s, static_cast<double>(pass.passes) *
                              (0.002 + 0.0005 * static_cast<double>(pass.inputs)));
  }
  EXPECT_FALSE(record.telemetry.empty());
  ASSERT_FALSE(record.usage.empty());
  EXPECT_FALSE(std::isnan(record.usage[0].other_cpu_s));
  EXPECT_EQ(record::parameter(record, "load.stages"), "20/s:1s,40/s:1s");
  EXPECT_EQ(record::parameter(record, "serve.batch"), "32");
  EXPECT_EQ(record::parameter(record, "task"), "serve");
  ASSERT_EQ(record.metrics.size(), 1U);
  EXPECT_GT(record.metrics[0].value, 1e6);
  EXPECT_TRUE(record::verify_record(folder / "records/p-local-1.h5").consistent)
      << record::verify_record(folder / "records/p-local-1.h5").text;
}

TEST_F(LoadProgram, AppliesTheLoadToAServiceThatRuns) {
  tests::RawServer server([](const auto&) { return tests::http_answer(200, "{}"); });
  const auto result =
      run({"--url=" + server.url(), "--arrivals=closed", "--stages=study/600", "--health"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto record = recorded();
  ASSERT_EQ(record.serving_stages.size(), 3U);
  EXPECT_EQ(record::load_text(record.serving_stages[0]), "1-10 users");
  EXPECT_EQ(record::load_text(record.serving_stages[2]), "10-0 users");
  EXPECT_GT(record.serving_stages[1].answered, 0);
  ASSERT_FALSE(record.usage.empty());
  EXPECT_TRUE(std::isnan(record.usage[0].other_cpu_s))
      << "what the service used is no disturbance by others";
}

TEST_F(LoadProgram, FailsIfTheServiceEndsTooEarly) {
  const auto before = run({"--url=http://127.0.0.1:1"}, {"sh", "-c", "exit 3"});
  EXPECT_EQ(before.status, 1);
  EXPECT_THAT(before.err, HasSubstr("the service ended with exit status 3 before it was ready"));
  EXPECT_EQ(recorded().header.outcome.view(), "failed");
}

TEST_F(LoadProgram, FailsIfTheServiceEndsDuringTheLoad) {
  const auto during = run({"--address-file=" + (folder / "address"), "--stages=50/s:20s"},
                          {"sh", "-c",
                           known_service + " --port=0 --address-file=" + (folder / "address") +
                               " & while ! [ -e " + (folder / "address") +
                               " ]; do sleep 0.1; done; sleep 2; kill -9 $!;"
                               " exit 4"});
  EXPECT_EQ(during.status, 1);
  EXPECT_THAT(during.err, HasSubstr("the service ended with exit status 4 during the load"));
  const auto record = recorded();
  EXPECT_EQ(record.header.outcome.view(), "failed");
  ASSERT_EQ(record.serving_stages.size(), 1U);
  EXPECT_GT(record.serving_stages[0].answered, 0);
}

TEST_F(LoadProgram, FailsIfNothingIsAnswered) {
  tests::RawServer server([](const auto& request) {
    return request.has("/health") ? tests::http_answer(200, "")
                                  : tests::http_answer(401, "no token");
  });
  const auto result = run({"--url=" + server.url(), "--stages=20/s:1s"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err,
              HasSubstr("no request was answered with status 200; POST /predict: status 401: "
                        "no token"));
  EXPECT_EQ(recorded().header.outcome.view(), "failed");
}

TEST_F(LoadProgram, GivesUpOnAServiceThatIsNeverReady) {
  tests::RawServer server([](const auto&) { return tests::http_answer(503, "warming"); });
  const auto result = run({"--url=" + server.url(), "--start-limit=300ms"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("not ready within 0.3s (--start-limit): GET " + server.url() +
                                    "/health: status 503: warming"));
}

TEST_F(LoadProgram, KillsAServiceThatDoesNotEnd) {
  const auto result =
      run({"--address-file=" + (folder / "address"), "--stages=20/s:1s", "--drain-limit=500ms"},
          {"sh", "-c",
           "trap '' TERM; " + known_service + " --port=0 --address-file=" + (folder / "address") +
               " & while :; do sleep 1; done"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("did not end within 0.5s of SIGTERM"));
}

TEST_F(LoadProgram, StopsOnASignalAndKeepsWhatItHas) {
  const auto result = process::run_command(
      {"sh", "-c",
       std::string(EPOCHCAST_BINARY_DIR) + "/epochcast-load --records=" + (folder / "records") +
           " --point=p --stages=50/s:60s --address-file=" + (folder / "address") + " -- " +
           known_service + " --port=0 --address-file=" + (folder / "address") + " & while ! [ -e " +
           (folder / "address") + " ]; do sleep 0.1; done; sleep 2; " + "kill -TERM $!; wait $!"},
      120, {{"EPOCHCAST_JOB_ID", "local-1"}});
  EXPECT_EQ(result.status, exit_stopped) << result.err;
  const auto record = recorded();
  EXPECT_EQ(record.header.outcome.view(), "stopped");
  EXPECT_EQ(record.header.outcome_text.view(), "SIGTERM ended the load early");
  ASSERT_EQ(record.serving_stages.size(), 1U);
  EXPECT_EQ(record.serving_stages[0].answered, record.serving_stages[0].requests);
  EXPECT_THAT(result.err, HasSubstr("known_service: ended"));
}

TEST_F(LoadProgram, RefusesBadInputWithOneLine) {
  const std::vector<std::pair<Words, std::string>> cases{
      {{}, "no service given; expected --url or --address-file"},
      {{"--url=x", "--address-file=y"}, "expected only one of them"},
      {{"--url=https://x"}, "--url: found 'https://x'"},
      {{"--url=http://127.0.0.1:1", "--stages=10"}, "--stages: found '10', expected LOAD:TIME"},
      {{"--url=http://127.0.0.1:1", "--arrivals=open"}, "--arrivals: found 'open'"},
      {{"--url=http://127.0.0.1:1", "--mix=" + (folder / "none")}, "none"},
      {{"--url=http://127.0.0.1:1", "--parameter=x"}, "expected NAME=VALUE"},
      {{"--urk=http://127.0.0.1:1"}, "did you mean"},
  };
  for (const auto& [words, message] : cases) {
    const auto result = run(words);
    EXPECT_EQ(result.status, 2) << message << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_FALSE(is_there(folder / "records"));
}

TEST_F(LoadProgram, TakesTheTokenFromAFile) {
  set_bytes(folder / "token", "t0ken\n");
  tests::RawServer server([](const tests::RawServer::Request& request) {
    return request.has("Authorization: Bearer t0ken\r\n") ? tests::http_answer(200, "{}")
                                                          : tests::http_answer(401, "");
  });
  EXPECT_EQ(run({"--url=" + server.url(), "--stages=20/s:1s", "--token-file=" + (folder / "token")})
                .status,
            0);
}

}  // namespace
}  // namespace epochcast::load
