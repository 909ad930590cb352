// A service under load on a real Slurm: from an experiment to the table, with the service and its
// load in one task, in two and on two nodes. The network is a stand-in whose micro-batches take a
// known time, so nothing here needs LibTorch.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "src/record/queries.hpp"
#include "src/record/reader.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

class SlowServingOnSlurm : public SlurmLab {
 protected:
  SlowServingOnSlurm() { accounting_ = false; }

  /// epochcast-train with a network that is known_service's, beside the programs of the build.
  void experiment(const std::string& stages, const std::string& more = "") {
    program("epochcast-train",
            "#!/bin/bash\n"
            "if [[ $1 == --version ]]; then echo 'epochcast-train, a stand-in'; exit; fi\n"
            "words=()\n"
            "for word in \"${@:2}\"; do\n"
            "  case $word in --model*|--dataset*|--device*) ;; *) words+=(\"$word\") ;; esac\n"
            "done\n"
            "exec known_service --a=10ms --c=1ms \"${words[@]}\"\n");
    must("ln -sf \"$(command -v epochcast-load)\" bin/epochcast-load");
    write("experiment.yaml", fmt::format("name: serve\ntask: serve\nmodel: distilbert\n"
                                         "load: {{arrivals: poisson, stages: '{}'}}\n{}\n",
                                         stages, more));
  }

  void site(const std::string& allocations) {
    write("site.yaml",
          fmt::format("scheduler: slurm\n"
                      "defaults: {{partition: teaching, memory: 1G, time: 10m, signal_lead: 20s, "
                      "trainer: {}}}\nallocations:\n{}",
                      home("bin/epochcast-train").string(), allocations));
  }

  void submit() {
    must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
    must("epochcast-jobs check out");
    must("epochcast-jobs submit out");
  }

  std::vector<record::Record> records() {
    std::vector<record::Record> all;
    for (const auto& path : record::find_records({home("out/records").string()})) {
      all.push_back(record::read_record(path));
    }
    return all;
  }
};

TEST_F(SlowServingOnSlurm, OneRecordARunAndNoRequestIsDropped) {
  experiment("20/s:3s,40/s:3s", "sweep: {serve.batch: [1, 8]}");
  site(
      "  one: {cpus: 1}\n"
      "  two: {cpus: 1, tasks_per_node: 2}\n"
      "  nodes: {cpus: 1, nodes: 2}\n");
  submit();
  wait_until_settled("out");
  expect_every_point_complete_once("out");
  const auto all = records();
  ASSERT_THAT(all, SizeIs(6));
  for (const auto& record : all) {
    EXPECT_EQ(record::parameter(record, "model"), "distilbert");
    ASSERT_THAT(record.serving_stages, SizeIs(2)) << record.header.point.str();
    for (const auto& stage : record.serving_stages) {
      EXPECT_GT(stage.requests, 0);
      EXPECT_EQ(stage.answered, stage.requests) << record.header.point.str();
    }
  }
  EXPECT_THAT(must("epochcast-analyze table serving out"), HasSubstr("p99"));
}

TEST_F(SlowServingOnSlurm, DrainsBeforeTheTimeLimitWithoutDroppingARequest) {
  experiment("20/s:10m");
  site("  one: {partition: quick, cpus: 1, time: 1m}\n");
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  must("epochcast-jobs submit out");  // check would say that the load takes longer than the job
  const auto stopped = wait_until_settled("out").begin()->second;
  EXPECT_EQ(stopped.state, "stopped") << stopped.reason;
  const auto all = records();
  ASSERT_THAT(all, SizeIs(1));
  ASSERT_THAT(all[0].serving_stages, SizeIs(1));
  EXPECT_GT(all[0].serving_stages[0].answered, 100);
  EXPECT_EQ(all[0].serving_stages[0].answered, all[0].serving_stages[0].requests);
}

}  // namespace
}  // namespace epochcast
