// Scripts of a service under load, run by bash with programs that only claim to serve and to load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/campaign/generate.hpp"
#include "jobs/campaign/status.hpp"
#include "jobs/local/local_runner.hpp"
#include "jobs/plan/pilots.hpp"
#include "jobs/script/service_words.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using test::TempFolder;
using test::WithVariable;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Writes its address, and says when it was told to end.
const char* const fake_service = R"sh(#!/bin/bash
echo "service: $*"
for word in "$@"; do
  case $word in --address-file=*) file=${word#*=} ;; esac
done
[ -z "${FAKE_SERVICE_FAILS:-}" ] || exit 1
[ -z "${file:-}" ] || echo http://127.0.0.1:1234 >"$file"
trap 'echo "service: drained"; exit 0' USR1 TERM
while :; do sleep 0.05; done
)sh";

/// Writes a record as the trainer's stand-in does; starts and stops the service if it is given.
const std::string fake_load = std::string(test::fake_trainer) + R"sh(
echo "load: $*"
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
if [ $# -gt 1 ]; then
  shift
  "$@" &
  sleep 0.3
  kill -TERM $!
  wait $!
fi
)sh";

class ServiceScript : public testing::Test {
 protected:
  ServiceScript() : out_(folder_ / "out") {
    folder_.write("epochcast-train", fake_service, true);
    folder_.write("epochcast-load", fake_load, true);
  }
  void make(const std::string& allocations, const std::string& more = "") {
    const auto cluster =
        folder_.write("c.yaml",
                      "scheduler: local\ndefaults: {trainer: ./epochcast-train, time: 1h}\n"
                      "allocations:\n  " +
                          allocations + "\n");
    const std::string experiment =
        "name: x\ntask: serve\nmodel: distilbert\nserve: {batch: 8}\nload: {stages: '1:1s'}\n";
    generate({folder_.write("x.yaml", experiment + more), cluster, out_, {}, {}});
  }
  RunReport run() {
    return run_here({out_, {}}, [](const std::string&) {});
  }
  PointStatus point() const { return status(out_).points.at(0); }
  std::string log() const { return read_file(point().log); }

  TempFolder folder_;
  std::string out_;
};

TEST_F(ServiceScript, TheLoadOfOneTaskGetsTheServiceAsItsCommand) {
  make("one: {cpus: 1}");
  EXPECT_EQ(run().complete, 1U) << log();
  EXPECT_THAT(log(), AllOf(HasSubstr("--stages=1:1s"), HasSubstr("--parameter=serve.batch=8"),
                           HasSubstr("service: serve --model=distilbert --batch=8"),
                           HasSubstr("service: drained")));
  EXPECT_EQ(point().state, PointState::complete);
}

TEST_F(ServiceScript, AServiceWithATaskOfItsOwnIsAwaitedAndDrained) {
  make("two: {cpus: 1, tasks_per_node: 2}");
  EXPECT_EQ(run().complete, 1U) << log();
  EXPECT_THAT(log(), AllOf(HasSubstr("--address-file=" + out_), HasSubstr("--host=127.0.0.1"),
                           HasSubstr("service: drained")));
  EXPECT_FALSE(is_there(std::filesystem::path(out_) / "work" / point().point / "token"))
      << "it is of no use to anyone afterwards";
}

TEST_F(ServiceScript, AServiceThatEndsAtOnceFailsTheRun) {
  const WithVariable fails("FAKE_SERVICE_FAILS", "1");
  make("two: {cpus: 1, tasks_per_node: 2}");
  EXPECT_EQ(run().failed, 1U);
  EXPECT_THAT(log(), HasSubstr("the service ended with status 1"));
}

TEST_F(ServiceScript, NamesAMissingLoadGeneratorBeforeAnyPointStarts) {
  make("one: {cpus: 1}");
  std::filesystem::remove(folder_ / "epochcast-load");
  EXPECT_THAT(error_of([&] { run(); }), HasSubstr("epochcast-load' does not exist"));
}

TEST_F(ServiceScript, RefusesMoreThanTwoTasks) {
  EXPECT_EQ(
      error_of([&] { make("many: {cpus: 1, tasks_per_node: 3}"); }),
      "allocation 'many' has 3 tasks, expected 1 (a service and its load, or the two ends of a "
      "stream, share it) or 2 (each has its own); choose with 'allocations:'");
}

TEST_F(ServiceScript, HasNoPilot) {
  const Cluster cluster = cluster_from(
      run::yaml::parse_text("scheduler: local\nallocations: {a: {cpus: 1, time: 1h}}", "c.yaml"));
  const auto points =
      expand(experiment_from(run::yaml::parse_text("name: x\ntask: serve", "x.yaml")), cluster);
  EXPECT_THAT(error_of([&] { pilots_for(points, cluster, {}); }),
              HasSubstr("nothing to forecast from a pilot"));
}

}  // namespace
}  // namespace epochcast::jobs
