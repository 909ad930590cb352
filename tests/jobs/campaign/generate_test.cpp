#include "jobs/campaign/generate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/experiment/model_options.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TempFolder;
using testing::HasSubstr;

struct Lab {
  TempFolder folder;
  std::string cluster =
      folder.write("c.yaml", "scheduler: local\nallocations: {a: {cpus: 1}, b: {cpus: 2}}\n");
  GenerateReport make(const std::string& experiment,
                      const std::vector<std::string>& filters = {}) const {
    return generate({folder.write("x.yaml", experiment), cluster, folder / "out", {}, filters});
  }
  Index index() const { return read_index(OutFolder(folder / "out")); }
};

TEST(Generate, WritesAScriptAPointAndAnIndexWithEveryParameter) {
  const Lab lab;
  EXPECT_EQ(lab.make("name: x\nsweep: {epochs: [1, 2]}").points, 4U);
  const auto index = lab.index();
  ASSERT_EQ(index.rows.size(), 4U);
  for (const auto& row : index.rows) {
    EXPECT_TRUE(fs::exists(lab.folder / ("out/scripts/" + row[Index::point] + ".sbatch")));
  }
  EXPECT_THAT(index.columns, testing::IsSupersetOf({"point", "allocation", "current", "model",
                                                    "batch", "epochs", "device", "seed"}));
  EXPECT_TRUE(fs::is_directory(lab.folder / "out/logs"))
      << "before Slurm 23.02 a job without it fails in silence";
}

TEST(Generate, AgainIntoTheSameFolderChangesNothingAndLosesNothing) {
  const Lab lab;
  lab.make("name: x\nsweep: {epochs: [1, 2]}");
  lab.folder.write("out/records/r.h5", "data");
  auto again = lab.make("name: x\nsweep: {epochs: [1, 2]}");
  EXPECT_EQ(again.same, 4U);
  EXPECT_TRUE(again.changed.empty());
  again = lab.make("name: x\nsweep: {epochs: [2, 3]}");
  EXPECT_EQ(again.same, 2U);
  EXPECT_EQ(again.kept, 2U);
  EXPECT_EQ(lab.index().rows.size(), 6U);
  EXPECT_EQ(select(lab.index(), {"current=no"}).size(), 2U);
  EXPECT_EQ(read_file(lab.folder / "out/records/r.h5"), "data");
}

TEST(Generate, NamesTheScriptsThatChanged) {
  const Lab lab;
  lab.make("name: x");
  lab.folder.write(
      "c.yaml",
      "scheduler: local\nallocations: {a: {cpus: 1, setup: ['export A=1']}, b: {cpus: 2}}\n");
  const auto report = lab.make("name: x");
  ASSERT_EQ(report.changed.size(), 1U);
  EXPECT_THAT(report.changed[0], HasSubstr("dcgan.a.e1.r0-"));
}

/// The functions of another version have another name.
TEST(Generate, AJobThatWasSubmittedBeforeAnUpdateKeepsItsFunctions) {
  const Lab lab;
  const auto trainer = lab.folder.write("epochcast-train", "#!/bin/bash\necho ran\n", true);
  lab.folder.write("c.yaml",
                   "scheduler: slurm\nallocations: {a: {cpus: 1, memory: 1G, time: 1h, "
                   "trainer: " +
                       trainer + "}}\n");
  lab.make("name: x");
  const auto script = OutFolder(lab.folder / "out").script(lab.index().rows.at(0)[Index::point]);
  const auto text = read_file(script);
  const auto replaced = [](std::string all, const std::string& from, const std::string& to) {
    return all.replace(all.find(from), from.size(), to);
  };
  const auto submitted =
      lab.folder.write("slurm_script", replaced(text, shell_file_name(), "epochcast-older.sh"));
  const auto older = lab.folder.write(
      "out/scripts/epochcast-older.sh",
      replaced(shell_functions, "epochcast_wait() {", "epochcast_wait() {\n  echo as before"));
  const auto current = lab.folder / ("out/scripts/" + shell_file_name());
  fs::remove(current);
  fs::remove(script);

  lab.make("name: x");
  EXPECT_EQ(read_file(script), text);
  EXPECT_EQ(read_file(current), shell_functions);
  const auto run = [](const std::string& path, const char* job) {
    return process::run_command({"bash", path}, 20,
                                {{"EPOCHCAST_JOB_ID", job}, {"SLURM_CPUS_PER_TASK", "1"}})
        .out;
  };
  EXPECT_THAT(run(submitted, "1"), testing::AllOf(HasSubstr("ran"), HasSubstr("as before")));
  fs::remove_all(lab.folder / "out/claims");
  fs::create_directories(lab.folder / "out/claims");
  EXPECT_THAT(run(script, "2"),
              testing::AllOf(HasSubstr("ran"), testing::Not(HasSubstr("as before"))));
}

TEST(Generate, AFolderBelongsToOneExperimentOnOneCluster) {
  const Lab lab;
  lab.make("name: x");
  EXPECT_THAT(
      error_of([&] { lab.make("name: y"); }),
      HasSubstr(
          "out: contains experiment 'x' on cluster 'c', expected 'y' on 'c'; use another folder"));
}

TEST(Generate, AFilterThatLeavesNothingIsAnError) {
  const Lab lab;
  EXPECT_EQ(lab.make("name: x\nsweep: {epochs: [1, 2]}", {"epochs=2", "allocation=a"}).points, 1U);
  EXPECT_THAT(error_of([&] { lab.make("name: x", {"epochs=7"}); }),
              HasSubstr("x.yaml: no points are left; see 'exclude:' and --filter"));
  EXPECT_THAT(error_of([&] { lab.make("name: x", {"epoch=7"}); }),
              "--filter: unknown column 'epoch'; did you mean 'epochs'?");
}

TEST(SlowGenerate, TooManyPointsAreRefusedBeforeAnythingIsWritten) {
  const Lab lab;
  const auto refused = [&](const std::string& more) {
    return error_of([&] { lab.make("name: x\n" + more); });
  };
  EXPECT_THAT(
      refused("sweep: {epochs: 1..1000000}"),
      testing::EndsWith("x.yaml: has 2000000 points (sweep x repeats x allocations), expected at "
                        "most 100000; shorten the lists under 'sweep:', or set fewer 'repeats:' or "
                        "'allocations:'"));
  EXPECT_THAT(refused("sweep: {epochs: 1..50000}\nrepeats: 2"), HasSubstr("has 200000 points"));
  EXPECT_THAT(refused("repeats: 9000000000000000000"), HasSubstr("has 2e+19 points"));
  EXPECT_THAT(refused("sweep: {zip: {epochs: 1..50001, seed: 1..50001}}"),
              HasSubstr("has 100002 points"));
  EXPECT_FALSE(fs::exists(lab.folder / "out"));
}

TEST(Generate, ARelativePathIsRelativeToTheWorkingFolder) {
  const Lab lab;
  lab.make(
      "name: x\nweights: w\ndataset: {name: sst2, path: 'a:/b', vocabulary: 'share:v/vocab.txt'}");
  const auto index = lab.index();
  const auto value = [&](const char* name) {
    const auto at =
        std::find(index.columns.begin(), index.columns.end(), name) - index.columns.begin();
    return index.rows[0][static_cast<std::size_t>(at)];
  };
  const auto here = fs::current_path().string();
  EXPECT_EQ(value("dataset.path"), here + "/a:/b");
  EXPECT_EQ(value("weights"), here + "/w");
  EXPECT_EQ(value("dataset.vocabulary"), "share:v/vocab.txt");
}

TEST(Generate, AnUnwritableFolderIsOneLine) {
  const Lab lab;
  lab.folder.write("out", "a file");
  EXPECT_THAT(error_of([&] { lab.make("name: x"); }),
              HasSubstr("out/scripts: folder cannot be made: Not a directory"));
}

TEST(ModelOptions, AreCheckedWithoutLibTorch) {
  const TempFolder folder;
  const auto path = folder.write("models.json",
                                 R"({"models": {"mlp": {"optimizer": "sgd",
                              "options": [{"name": "depth", "type": "integer", "default": "3", "allowed": ">=1"}]}},
          "datasets": {"synthetic": {"options": []},
                       "scans": {"options": [{"name": "atlas", "type": "text", "default": "", "allowed": "path"},
                                             {"name": "column", "type": "text", "default": ""}]}},
          "optimizers": {"sgd": {"options": [{"name": "momentum", "type": "number", "default": "0"}]},
                         "adam": {"options": []}}})");
  const auto catalogue = read_catalogue(path);
  const auto check = [&](run::Parameters parameters) {
    parameters.push_back({"dataset", "synthetic", "text", "1"});
    return error_of([&] { check_options({{"p", "a", parameters, {}, {}}}, catalogue); });
  };
  EXPECT_EQ(check({{"model", "mlp", "text", "1"}, {"model.depth", "4", "text", "1"}}), "");
  EXPECT_EQ(check({{"model", "mlp", "text", "1"}, {"model.dpeth", "4", "text", "1"}}),
            "model.dpeth: unknown option of model 'mlp'; did you mean 'depth'?");
  EXPECT_EQ(check({{"model", "mlp", "text", "1"}, {"model.depth", "0", "text", "1"}}),
            "model.depth: found '0', expected a value >=1");
  EXPECT_THAT(path_parameters(catalogue), testing::ElementsAre("weights", "dataset.atlas"));
  EXPECT_EQ(check({{"model", "mpl", "text", "1"}}), "unknown model 'mpl'; did you mean 'mlp'?");
  const run::Parameter mlp{"model", "mlp", "text", "1"};
  EXPECT_EQ(check({mlp, {"optimizer.momentum", "0.9", "text", "1"}}), "")
      << "sgd, since that is what the model was published with";
  EXPECT_EQ(
      check({mlp, {"optimizer", "adam", "text", "1"}, {"optimizer.momentum", "0.9", "text", "1"}}),
      "optimizer.momentum: unknown option of optimizer 'adam'");
  EXPECT_EQ(check({mlp, {"optimizer", "sdg", "text", "1"}}),
            "unknown optimizer 'sdg'; did you mean 'sgd'?");
  EXPECT_THAT(error_of([&] { read_catalogue(folder.write("bad.json", "{}")); }),
              HasSubstr("bad.json: is not a catalogue of models: "));
}

TEST(Index, SurvivesHostileValuesInItsCells) {
  const Index index{{"point", "allocation", "current", "x"},
                    {{"a", "b,c", "yes", "say \"hi\"\nthere"}, {"d", "", "no", "é"}}};
  const TempFolder folder;
  folder.write("jobs.csv", index_text(index));
  const auto back = read_index(OutFolder(folder / ""));
  EXPECT_EQ(back.columns, index.columns);
  EXPECT_EQ(back.rows, index.rows);
}

TEST(Index, DamageIsNamedByItsLine) {
  const TempFolder folder;
  EXPECT_THAT(
      error_of([&] { read_index(OutFolder(folder / "")); }),
      HasSubstr("is not an output folder (no jobs.csv); make one with 'epochcast-jobs generate'"));
  folder.write("jobs.csv", "point,allocation,current\na,b,yes\na,b\n");
  EXPECT_THAT(error_of([&] { read_index(OutFolder(folder / "")); }),
              HasSubstr("jobs.csv:3: found 2 cells, expected 3"));
  folder.write("jobs.csv", "x\n");
  EXPECT_THAT(error_of([&] { read_index(OutFolder(folder / "")); }),
              HasSubstr("jobs.csv:1: found other columns than 'point,allocation,current,...'"));
}

// The time is printed, not asserted: a busy machine is no defect.
// Mostly the time of the file system, minutes on a busy one; so with the slow tests.
TEST(SlowGenerate, AHundredThousandPointsAreWritten) {
  const Lab lab;
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(lab.make("name: x\nsweep: {seed: 1..50000}").points, 100000U);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("100,000 points generated in %.2f s\n", took.count());
}

}  // namespace
}  // namespace epochcast::jobs
