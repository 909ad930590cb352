// Jobs whose program runs in a container (Charliecloud): without Slurm's configuration inside, and
// so without an answer of scontrol there.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "src/record/reader.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

class SlurmContainers : public SlurmLab {
 protected:
  SlurmContainers() { accounting_ = false; }

  void SetUp() override {
    SlurmLab::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    make_image();
    const auto tried = alice(
        fmt::format("USER=alice ch-run --bind=/usr --bind=/lib64 --bind={0} --bind={1} image -- "
                    "{1}/epochcast-train --version",
                    EPOCHCAST_SOURCE_DIR, EPOCHCAST_BINARY_DIR));
    if (!tried.ok()) {
      GTEST_SKIP() << "ch-run (Charliecloud) does not start a container here: " << tried.err;
    }
  }

  /// An image of mount points: the programs and libraries are those of this machine, the rest of
  /// its file system is not there.
  void make_image() {
    const auto image = home("image");
    for (const auto& folder :
         {fs::path("/dev"), fs::path("/proc"), fs::path("/sys"), fs::path("/tmp"), fs::path("/etc"),
          fs::path("/usr"), fs::path("/lib64"), fs::path("/root"), fs::path(EPOCHCAST_SOURCE_DIR),
          fs::path(EPOCHCAST_BINARY_DIR), home("out")}) {
      fs::create_directories(image / folder.relative_path());
    }
    for (const auto* name : {"bin", "lib"}) {
      fs::create_directory_symlink(fs::path("usr") / name, image / name);
    }
    for (const auto* name : {"passwd", "group", "hosts", "resolv.conf"}) {
      write(fmt::format("image/etc/{}", name), "");
    }
  }
};

TEST_F(SlurmContainers, TrainAndTheirRecordsKnowWhatTheSchedulerGranted) {
  write("site.yaml", fmt::format(R"(
scheduler: slurm
defaults:
  memory: 1G
  time: 10m
  signal_lead: 30s
  trainer: {0}/epochcast-train
  container: {{runtime: charliecloud, image: ./image, binds: [/usr, /lib64, {1}, {0}]}}
allocations:
  cpu2: {{partition: teaching, cpus: 2}}
  gpu: {{partition: dgx, cpus: 2, gpus: 1, gpu: v100, gpu_flag: gpus-total, gpu_typed: false}}
  ranks: {{partition: teaching, tasks_per_node: 2, cpus: 1}}
)",
                                 EPOCHCAST_BINARY_DIR, EPOCHCAST_SOURCE_DIR));
  write("experiment.yaml",
        "name: x\nmodel: {name: mlp, depth: 3}\ndataset: {name: disc, samples: 400}\nbatch: 40\n"
        "device: cpu\nepochs: 2\n");
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  EXPECT_THAT(alice("epochcast-jobs check out").err,
              HasSubstr("runs in the image '" + home("image").string() + "'"));
  must("epochcast-jobs submit out");
  const auto states = wait_until_settled("out");
  EXPECT_EQ(states.size(), 3);
  expect_every_point_complete_once("out");

  int granted_gpus = 0;
  for (const auto& entry : fs::directory_iterator(home("out/records"))) {
    if (entry.path().extension() != ".h5") {
      continue;
    }
    const auto record = record::read_record(entry.path());
    std::map<std::string, std::string> got;
    for (const auto& row : record.allocation) {
      got[row.name.str()] = row.got.str();
    }
    EXPECT_THAT(got["partition"], ::testing::AnyOf("teaching", "dgx")) << entry.path();
    EXPECT_NE(got["node_list"], "") << entry.path();
    granted_gpus += got["gpus"] == "1" ? 1 : 0;
    EXPECT_EQ(record.header.tainted.str(), "") << entry.path();
  }
  EXPECT_EQ(granted_gpus, 1) << "that of the allocation 'gpu'";
}

TEST_F(SlurmContainers, AnImageThatIsNotThereFailsThePointWithTheRuntimesMessage) {
  write("site.yaml", R"(
scheduler: slurm
allocations:
  cpu1: {partition: teaching, cpus: 1, memory: 1G, time: 5m, container: {runtime: charliecloud, image: ./nowhere}}
)");
  experiment("cpu1", "epochs: 1");
  must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  EXPECT_THAT(alice("epochcast-jobs check out").err, HasSubstr("is not on this machine"));
  must("epochcast-jobs submit out");
  for (const auto& [point, now] : wait_until_settled("out")) {
    EXPECT_EQ(now.state, "missing") << "no record, no accounting";
  }
  EXPECT_THAT(must("cat out/logs/*"), HasSubstr("nowhere"));
}

}  // namespace
}  // namespace epochcast
