// Jobs whose program runs in a container (Charliecloud, Podman): without Slurm's configuration
// inside, and so without an answer of scontrol there.
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
    if (!IsSkipped() && !HasFatalFailure()) {
      make_image();
    }
  }

  /// An image of mount points: the programs and libraries are those of this machine, the rest of
  /// its file system is not there.
  void make_image() {
    const auto image = home("image");
    for (const auto& folder :
         {fs::path("/dev"), fs::path("/proc"), fs::path("/sys"), fs::path("/tmp"), fs::path("/etc"),
          fs::path("/usr"), fs::path("/lib64"), fs::path("/root"), fs::path("/run"),
          fs::path("/var"), fs::path(EPOCHCAST_SOURCE_DIR), fs::path(EPOCHCAST_BINARY_DIR),
          home("out"), home("archive")}) {
      fs::create_directories(image / folder.relative_path());
    }
    for (const auto* name : {"bin", "lib"}) {
      fs::create_directory_symlink(fs::path("usr") / name, image / name);
    }
    for (const auto* name : {"passwd", "group", "hosts", "resolv.conf"}) {
      write(fmt::format("image/etc/{}", name), "");
    }
    root("chown -R alice " + image.string());  // Podman completes the folder /etc
  }

  /// Whether a container of the runtime starts on node t4-01. `words`: up to the image.
  process::CommandResult try_container(const std::string& words) {
    return alice(
        fmt::format("srun -w t4-01 {} {}/epochcast-train --version", words, EPOCHCAST_BINARY_DIR));
  }

  /// Trains with 2 CPUs, with a GPU, and with two ranks, each in `container` (a YAML map); the
  /// records must know what Slurm granted. `trainer`: that key, and further ones.
  void expect_records_know_the_allocation(const std::string& container,
                                          const std::string& trainer = std::string("trainer: ") +
                                                                       EPOCHCAST_BINARY_DIR +
                                                                       "/epochcast-train") {
    write("site.yaml", fmt::format(R"(
scheduler: slurm
defaults:
  memory: 1G
  time: 10m
  signal_lead: 30s
  sbatch: [--nodelist=t4-01]
  {}
  container: {}
allocations:
  cpu2: {{partition: teaching, cpus: 2}}
  gpu: {{partition: teaching, cpus: 2, gpus: 1, gpu: t4, gpu_flag: gpus-total, gpu_typed: false}}
  ranks: {{partition: teaching, tasks_per_node: 2, cpus: 1}}
)",
                                   trainer, container));
    write("experiment.yaml",
          "name: x\nmodel: {name: mlp, depth: 3}\ndataset: {name: disc, samples: 400}\nbatch: 40\n"
          "device: cpu\nepochs: 2\n");
    must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
    EXPECT_THAT(alice("epochcast-jobs check out").err, HasSubstr("runs in the image '"));
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
      EXPECT_EQ(got["partition"], "teaching") << entry.path();
      EXPECT_NE(got["node_list"], "") << entry.path();
      granted_gpus += got["gpus"] == "1" ? 1 : 0;
      EXPECT_EQ(record.header.tainted.str(), "") << entry.path();
    }
    EXPECT_EQ(granted_gpus, 1) << "that of the allocation 'gpu'";
  }

  /// Unpacks the archive (test archive_is_made, or the target 'package') into alice's home; false
  /// if there is none.
  bool unpack_archive() {
    const auto build = fs::path(EPOCHCAST_BINARY_DIR).parent_path();
    for (const auto& folder : {build / "archive", build}) {
      for (const auto& entry :
           fs::exists(folder) ? fs::directory_iterator(folder) : fs::directory_iterator()) {
        const auto name = entry.path().filename().string();
        if (name.starts_with("epochcast-") && name.ends_with(".tar.gz")) {
          must("mkdir archive && tar -C archive --strip-components=1 -xf " + entry.path().string());
          return true;
        }
      }
    }
    return false;
  }

  /// The archive is the only program in the image: it has its own loader and libraries.
  void expect_the_archive_trains(const std::string& container) {
    if (!unpack_archive()) {
      GTEST_SKIP() << "no archive. Run 'ctest --tests-regex archive_is_made' first";
    }
    expect_records_know_the_allocation(fmt::format("{{{}, binds: [{}, {}]}}", container,
                                                   EPOCHCAST_SOURCE_DIR, home("archive").string()),
                                       fmt::format("trainer: {}/bin/epochcast-train\n  torch: {}",
                                                   home("archive").string(), EPOCHCAST_TORCH_DIR));
  }

  std::string binds() {
    return fmt::format("[/usr, /lib64, {}, {}]", EPOCHCAST_SOURCE_DIR, EPOCHCAST_BINARY_DIR);
  }
};

/// Charliecloud on this machine; skips the test where it starts no container.
class SlurmCharliecloud : public SlurmContainers {
 protected:
  void SetUp() override {
    SlurmContainers::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    const auto tried = try_container(
        fmt::format("env USER=alice ch-run --bind=/usr --bind=/lib64 --bind={} --bind={} image --",
                    EPOCHCAST_SOURCE_DIR, EPOCHCAST_BINARY_DIR));
    if (!tried.ok()) {
      GTEST_SKIP() << "ch-run (Charliecloud) does not start a container here: " << tried.err;
    }
  }
};

/// Podman, with the folder as its image. A machine without /dev/mqueue has no IPC namespace to
/// share.
class SlurmPodman : public SlurmContainers {
 protected:
  void SetUp() override {
    SlurmContainers::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    const auto tried = try_container(fmt::format(
        "podman run --rm --cgroups=disabled --network=host --ipc=private --volume=/usr:/usr "
        "--volume=/lib64:/lib64 --volume={0}:{0} --volume={1}:{1} --entrypoint= --rootfs "
        "$HOME/image",
        EPOCHCAST_SOURCE_DIR, EPOCHCAST_BINARY_DIR));
    if (!tried.ok()) {
      GTEST_SKIP() << "podman does not start a container here: " << tried.err;
    }
  }

  std::string keys() {
    return fmt::format("runtime: podman, image: {}, gpu: false, options: [{}--rootfs]",
                       home("image").string(), fs::exists("/dev/mqueue") ? "" : "--ipc=private, ");
  }
};

TEST_F(SlurmCharliecloud, TrainsAndTheRecordsKnowWhatTheSchedulerGranted) {
  expect_records_know_the_allocation("{runtime: charliecloud, image: ./image, binds: " + binds() +
                                     "}");
}

TEST_F(SlurmCharliecloud, TheArchiveNeedsNothingFromTheImage) {
  expect_the_archive_trains("runtime: charliecloud, image: ./image");
}

TEST_F(SlurmPodman, TrainsAndTheRecordsKnowWhatTheSchedulerGranted) {
  expect_records_know_the_allocation("{" + keys() + ", binds: " + binds() + "}");
}

TEST_F(SlurmPodman, TheArchiveNeedsNothingFromTheImage) {
  expect_the_archive_trains(keys());
}

TEST_F(SlurmCharliecloud, AnImageThatIsNotThereFailsThePointWithTheRuntimesMessage) {
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
