// A copied or moved output folder: its scripts name the folder they were made in.
#include <gmock/gmock.h>

#include "jobs/campaign/generate.hpp"
#include "jobs/campaign/out_folder.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using testing::HasSubstr;

class Relocation : public testing::Test {
 protected:
  Relocation() {
    folder_.write("train", test::fake_trainer, true);
    folder_.write("x.yaml", "name: x\nsweep: {epochs: [1, 2]}\n");
    folder_.write("c.yaml",
                  "scheduler: local\ndefaults: {trainer: ./train}\nallocations: {a: {cpus: 1}}\n");
    folder_.write("s.yaml",
                  "scheduler: slurm\ndefaults: {trainer: ./train, memory: 1G, time: 1h}\n"
                  "allocations: {a: {cpus: 1}}\n");
  }
  static process::CommandResult jobs(std::vector<std::string> words) {
    words.insert(words.begin(), EPOCHCAST_BINARY_DIR "/epochcast-jobs");
    return process::run_command(words, 120);
  }
  process::CommandResult make(const std::string& verb, const std::string& cluster,
                              const std::string& name) {
    return jobs({verb, folder_ / "x.yaml", "--cluster", folder_ / (cluster + ".yaml"), "-o",
                 folder_ / name});
  }
  void copy(const std::string& from, const std::string& to) {
    fs::copy(folder_ / from, folder_ / to,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
  std::size_t records(const std::string& name) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_ / (name + "/records")), {}));
  }
  void expect_refused(const std::vector<std::string>& words, const std::string& copy,
                      const std::string& original, const std::string& fix) {
    const auto refused = jobs(words);
    EXPECT_EQ(refused.status, 2) << words[0] << ": " << refused.err;
    EXPECT_EQ(refused.err,
              fmt::format("epochcast-jobs: error: {}: the folder was made as {} and its scripts "
                          "write there; {}\n",
                          (folder_ / copy).string(), (folder_ / original).string(), fix));
  }

  TempFolder folder_;
  test::WithVariable own_{"EPOCHCAST_LEDGER", folder_ / "own/ledger.csv"};
};

TEST_F(Relocation, ACopyStartsNothingUntilItIsGeneratedAgain) {
  make("generate", "c", "out");
  copy("out", "copy");
  const auto again = "generate again into this one, or move it back";
  expect_refused({"run", folder_ / "copy"}, "copy", "out", again);
  expect_refused({"resubmit", folder_ / "copy", "--failed"}, "copy", "out", again);
  EXPECT_EQ(records("out") + records("copy"), 0U);
  EXPECT_THAT(jobs({"check", folder_ / "copy"}).out, HasSubstr("and its scripts write there"));
  make("generate", "c", "copy");
  EXPECT_EQ(jobs({"run", folder_ / "copy"}).status, 0);
  EXPECT_EQ(records("out"), 0U);
  EXPECT_EQ(records("copy"), 2U);
}

TEST_F(Relocation, ACopyIsNotSubmitted) {
  make("generate", "s", "out");
  copy("out", "copy");
  expect_refused({"submit", folder_ / "copy", "--dry-run"}, "copy", "out",
                 "generate again into this one, or move it back");
}

TEST_F(Relocation, AMovedFolderRunsOnceItIsBackOrLinkedFromWhereItWas) {
  make("generate", "c", "out");
  fs::rename(folder_ / "out", folder_ / "moved");
  EXPECT_EQ(jobs({"run", folder_ / "moved"}).status, 2);
  fs::create_symlink(folder_ / "moved", folder_ / "out");
  for (const auto* name : {"out", "moved", "moved/"}) {
    EXPECT_EQ(jobs({"run", folder_ / name}).status, 0) << name;
  }
  EXPECT_EQ(records("moved"), 2U);
}

TEST_F(Relocation, ACopiedPlanStartsNothing) {
  make("plan", "c", "out");
  copy("out", "copy");
  const auto fix = "plan into a new folder, or move it back";
  const auto out = (folder_ / "copy").string();
  expect_refused({"run", out}, "copy", "out", fix);
  expect_refused({"run", out + "/pilots"}, "copy/pilots", "out/pilots", fix);
  expect_refused({"update-limits", out, "some-pilot"}, "copy", "out", fix);
  expect_refused({"plan", folder_ / "x.yaml", "--cluster", folder_ / "c.yaml", "-o", out}, "copy",
                 "out", fix);
  make("generate", "c", "copy");  // its pilots are still the original's
  expect_refused({"run", out}, "copy/pilots", "out/pilots", fix);
  EXPECT_EQ(records("out") + records("copy") + records("out/pilots"), 0U);
}

TEST_F(Relocation, AFolderOfAnOlderVersionNamesNoOriginAndRuns) {
  make("generate", "c", "out");
  auto text = read_file(folder_ / "out/generate.json");
  const auto at = text.find(" \"root\"");
  text.erase(at, text.find('\n', at) + 1 - at);
  folder_.write("out/generate.json", text);
  EXPECT_EQ(jobs({"run", folder_ / "out"}).status, 0);
}

TEST_F(Relocation, AFolderWhoseNameJsonCannotKeepRuns) {
  const std::string name = "out-\xff";
  EXPECT_EQ(make("generate", "c", name).status, 0);
  EXPECT_EQ(jobs({"run", folder_ / name}).status, 0);
}

/// A record that its job never ended, in a folder whose records lie elsewhere: a copy links to
/// them.
TEST_F(Relocation, TheStatusOfACopyChangesNothing) {
  make("generate", "c", "out");
  fs::rename(folder_ / "out/records", folder_ / "scratch");
  fs::create_directory_symlink(folder_ / "scratch", folder_ / "out/records");
  const auto point = read_index(OutFolder(folder_ / "out")).rows[0][Index::point];
  const auto record = folder_.write(
      "scratch/p.jsonl",
      fmt::format(
          R"({{"table":"header","schema_version":1,"created_at":"2026-11-21T09:00:00+00:00",)"
          R"("outcome":"running","point":"{}","job_id":"local-1-2"}})"
          "\n",
          point));
  const auto before = read_file(record);
  copy("out", "copy");
  const auto seen = jobs({"status", folder_ / "copy", "--format", "csv"});
  EXPECT_THAT(seen.out, HasSubstr(point + ",,lost,"));
  EXPECT_THAT(seen.err,
              HasSubstr("epochcast-jobs: this folder is a copy of " + (folder_ / "out").string() +
                        ", where its jobs write: no record was changed here\n"));
  EXPECT_EQ(read_file(record), before);
  jobs({"status", folder_ / "out"});
  EXPECT_NE(read_file(record), before);
}

/// The row of a forecast in the user's own ledger is that of the original.
TEST_F(Relocation, TheStatusOfACopyClosesNoRowOfTheLedger) {
  const test::WithVariable steps("FAKE_STEP_S", "2");
  make("plan", "c", "out");
  EXPECT_EQ(jobs({"run", folder_ / "out/pilots"}).status, 0);
  const auto pilot = read_index(OutFolder(folder_ / "out/pilots")).rows[0][Index::point];
  EXPECT_EQ(jobs({"update-limits", folder_ / "out", pilot}).status, 0);
  const auto open = read_file(folder_ / "own/ledger.csv");
  fs::rename(folder_ / "out/plan.csv",
             folder_ / "plan.csv");  // so that full runs run by themselves
  jobs({"run", folder_ / "out", "--filter", "epochs=1"});
  folder_.write("own/ledger.csv", open);
  folder_.write("out/ledger.csv", open);
  copy("out", "copy");
  jobs({"status", folder_ / "copy"});
  EXPECT_EQ(read_file(folder_ / "own/ledger.csv"), open);
  jobs({"status", folder_ / "out"});
  EXPECT_NE(read_file(folder_ / "own/ledger.csv"), open);
}

}  // namespace
}  // namespace epochcast::jobs
