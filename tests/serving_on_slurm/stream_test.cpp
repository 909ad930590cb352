// A stream as two job steps on two nodes of a real Slurm, whose job is requeued in the middle: each
// item is answered once, in order. The network is a stand-in with known answers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <iterator>
#include <sstream>
#include <thread>
#include <vector>

#include "src/base/core/text.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class SlowStreamOnSlurm : public SlurmLab {
 protected:
  SlowStreamOnSlurm() { accounting_ = false; }

  void generate(int batches) {
    program("epochcast-train",
            "#!/bin/bash\n"
            "words=()\n"
            "for word in \"${@:2}\"; do\n"
            "  case $word in --model*|--dataset*|--device*) ;; *) words+=(\"$word\") ;; esac\n"
            "done\n"
            "exec known_consumer --kind=picture --pass=100ms \"${words[@]}\"\n");
    must("ln -sf \"$(command -v epochcast-stream)\" bin/epochcast-stream");
    write("experiment.yaml", fmt::format("name: stream\ntask: stream\nmodel: deit_tiny\n"
                                         "stream: {{batches: {}, every: 500ms, forward: 8}}\n",
                                         batches));
    write("site.yaml", fmt::format("scheduler: slurm\n"
                                   "defaults: {{partition: teaching, memory: 1G, time: 10m, "
                                   "signal_lead: 20s, trainer: {}, sbatch: [\"--requeue\"]}}\n"
                                   "allocations:\n  nodes: {{cpus: 1, nodes: 2}}\n",
                                   home("bin/epochcast-train").string()));
    must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  }

  void wait_for_releases(int count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end) {
      if (parse_integer(trim(alice("cat out/logs/* | grep -c released").out)).value_or(0) >=
          count) {
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    ADD_FAILURE() << "fewer than " << count << " batches were released in a minute";
  }
};

TEST_F(SlowStreamOnSlurm, AJobThatIsRequeuedAnswersEachItemOnceAndInOrder) {
  constexpr int batches = 12;
  generate(batches);
  must("epochcast-jobs submit out");
  wait_for_releases(4);
  must("scontrol requeue $(squeue --noheader --format=%i)");
  const auto state = wait_until_settled("out").begin()->second;
  EXPECT_EQ(state.state, "complete") << state.reason;
  EXPECT_THAT(state.tainted, HasSubstr("requeued"));
  EXPECT_THAT(headers("out"), SizeIs(2)) << "one record an attempt";
  std::istringstream rows(
      must("epochcast-stream results out/work/*/stream.sqlite | tail -n +2 | cut -d, -f3,4"));
  std::vector<std::string> answered{std::istream_iterator<std::string>(rows), {}};
  std::vector<std::string> expected;
  for (int batch = 1; batch <= batches; ++batch) {
    for (int item = 0; item < 5 * batch; ++item) {
      expected.push_back(fmt::format("{},{}", batch, item));
    }
  }
  EXPECT_EQ(answered, expected);
}

}  // namespace
}  // namespace epochcast
