#include "jobs/script/script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "jobs/script/pack_script.hpp"
#include "jobs/script/sbatch_header.hpp"
#include "src/base/core/text.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using test::TempFolder;
using testing::HasSubstr;
using testing::Not;

const ScriptContext context{"/out", "lab", "/opt/epochcast/bin/epochcast-train", true};

/// Profiles that differ in every form a site may want.
const std::vector<std::pair<std::string, std::string>> sites{
    {"rosie", R"(
scheduler: slurm
defaults: {account: csc101, setup: ["module load cuda/12.4"]}
allocations:
  cpu2: {partition: teaching, cpus: 2, smt: on, memory: 16G, time: 12h}
  v100: {partition: dgx, cpus: 8, gpus: 1, gpu: v100, memory: 32G, time: 90m, trainer: /opt/v100/bin/epochcast-train}
  t4x8: {partition: teaching, nodes: 2, tasks_per_node: 4, cpus_per_task: 8, gpus_per_task: 1, gpu: t4, memory: 128G, time: 2h}
)"},
    {"other", R"(
scheduler: slurm
defaults: {memory_flag: mem-per-cpu, gpu_flag: gpus, signal_lead: 90s, torch: /sw/libtorch-2.7, hdf5_locking: 'FALSE', modules: [gcc/12, "odd name"]}
allocations:
  core: {cpus: 3, smt: off, memory: 10G, time: 61s, signal_lead: 30s, qos: debug, constraint: skylake, exclusive: true}
  gpu: {cpus: 4, gpus: 2, gpu: Tesla_T4, memory: 8G, time: 1d, launch_prefix: [apptainer, exec, --nv, my image.sif]}
)"},
    {"untyped", R"(
scheduler: slurm
defaults: {gpu_flag: constraint, sbatch: ["--reservation=course", "--requeue"], memory: 4G, time: 1h, prices: {currency: SU, gpu_hour: 10}}
allocations:
  gpu: {cpus: 1, gpus: 1, gpu: a100, constraint: ib}
)"},
    {"unusual", R"(
scheduler: slurm
defaults: {time: 1h, gpu: t4}
allocations:
  shared: {partition: [t4, v100], tasks_per_node: 4, cpus: 2, gpus_per_node: 1, gres: "nvme:200", memory: all}
  plain: {cpus: 2, memory_flag: none, gpus: 1, gpu_flag: gpus, gres: [nvme, "lustre:1"]}
)"},
    {"containers", R"(
scheduler: slurm
defaults: {memory: 8G, time: 1h, container: {runtime: apptainer, image: /images/epochcast.sif, binds: ["/data:/data"]}}
allocations:
  t4: {cpus: 8, gpus: 1, gpu: t4}
  pyxis: {cpus: 8, gpus: 2, gpu: v100, gpu_flag: gpus-total, gpu_typed: false, container: {runtime: pyxis}}
)"},
    {"local",
     "scheduler: local\nallocations: {cpu1: {cpus: 1, time: 1h}, two: {cpus: 1, tasks_per_node: 2, "
     "time: 1h}}\n"},
    {"ends", R"(
scheduler: slurm
defaults: {memory: 4G, time: 4h, near_limit: epoch, over_limit: stop}
allocations:
  cpu: {cpus: 2, time_min: 30m}
)"}};

Point point_on(const Cluster& cluster, const std::string& allocation,
               const std::string& experiment = "name: lab\nepochs: 20") {
  auto text = experiment + "\nallocations: [" + allocation + "]";
  return expand(experiment_from(run::yaml::parse_text(text, "x.yaml")), cluster).front();
}

const std::string program_with_every_key = R"(
name: ext
command: [python3, train.py, '--lr={lr}', --epochs, '{epochs}']
lr: 0.1
epochs: 20
folder: "{work}/run"
environment: {HF_HOME: "/data/hub of {allocation}", TOKEN: }
inputs: [/data/train.csv]
outputs: [model.pt, "{work}/log.txt"]
progress: tqdm
hook: on
metrics: runs
pilot: {epochs: 2, arguments: [--quick]}
resume: [--resume, checkpoints/last.ckpt]
checkpoint_signal: USR2
checkpoint_lead: 3m
)";

const std::string service = R"(
name: serve
task: serve
model: {name: distilbert, length: 512}
weights: "/data/model's"
serve: {batch: 8, batch_wait: 5ms}
load: {arrivals: closed, stages: "1:10s,2:10s"}
)";

const std::string stream = R"(
name: stream
task: stream
model: deit_tiny
dataset: {name: cifar10, path: /data/cifar}
stream: {batches: 4, every: 1s, forward: 8}
)";

/// The name of the functions, which says their content, is left out.
void expect_golden(const std::string& name, std::string text) {
  if (const auto at = text.find(shell_file_name()); at != std::string::npos) {
    text.replace(at, shell_file_name().size(), "epochcast.sh");
  }
  const auto path = std::string(EPOCHCAST_SOURCE_DIR) + "/tests/golden/scripts/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    make_folder(std::filesystem::path(path).parent_path());
    write_file(path, text);
  }
  EXPECT_EQ(text, read_file(path)) << "UPDATE_GOLDEN=1 rewrites it";
}

TEST(Script, IsTheGoldenOneForEverySiteAndAllocation) {
  for (const auto& [name, yaml] : sites) {
    const auto cluster = cluster_from(run::yaml::parse_text(yaml, name + ".yaml"));
    auto where = context;
    where.slurm = !cluster.is_local();
    for (const auto& site : cluster.allocations) {
      expect_golden(name + "." + site.name + ".sbatch",
                    script_text(point_on(cluster, site.name), site, where));
    }
  }
  const auto cluster = cluster_from(run::yaml::parse_text(sites[0].second, "rosie.yaml"));
  expect_golden("rosie.cpu2.array.sbatch",
                array_script_text(cluster.allocations[0], context, "/out/arrays/token.points"));
  auto watching = context;
  watching.wraps_command = true;
  expect_golden(
      "rosie.cpu2.command.sbatch",
      script_text(
          point_on(cluster, "cpu2",
                   "name: ext\nlr: 0.1\ncommand: [python3, train.py, '--lr={lr}', --to, '{work}']\n"
                   "folder: /home/me/mine"),
          cluster.allocations[0], watching));
  expect_golden("rosie.cpu2.program.sbatch",
                script_text(point_on(cluster, "cpu2", program_with_every_key),
                            cluster.allocations[0], watching));
  const auto point = point_on(cluster, "cpu2", program_with_every_key);
  expect_golden(
      "rosie.cpu2.pilot.sbatch",
      script_text(pilot_of(point, {.epochs = 2, .time = {600}}), cluster.allocations[0], watching));
}

TEST(Script, OfSeveralPointsIsTheGoldenOne) {
  const auto cluster = cluster_from(run::yaml::parse_text(R"(
scheduler: slurm
defaults: {cpus: 2, memory: 4G, time: 4h, pack: {points: 8, parallel: 2}}
allocations:
  cpu: {}
  gpu: {gpus: 1, gpu: t4, tasks_per_node: 2}
  shared: {gpus: 1, gpu: t4, pack: {per: shared_gpu}}
)",
                                                          "packs.yaml"));
  for (const auto& site : cluster.allocations) {
    expect_golden(fmt::format("packs.{}.sbatch", site.name),
                  pack_script_text(site, context, "/out/arrays/token"));
  }
}

TEST(Script, WhatIsDoneBeforeTheLimitIsForWholeRunsOnly) {
  const auto cluster = cluster_from(run::yaml::parse_text(
      "scheduler: slurm\ndefaults: {memory: 4G, time: 4h}\nallocations: {a: {near_limit: epoch}}",
      "ends.yaml"));
  auto watching = context;
  watching.wraps_command = true;
  const auto point = point_on(cluster, "a", program_with_every_key);
  const auto& site = cluster.allocations[0];
  EXPECT_THAT(script_text(point, site, watching), HasSubstr("--near-limit=epoch"));
  EXPECT_THAT(script_text(point, site, watching), HasSubstr("--limit-lead=3m"));
  EXPECT_THAT(script_text(pilot_of(point, {.epochs = 2}), site, watching),
              Not(HasSubstr("-limit=")));
}

TEST(Script, AProgramIsAskedForItsEpochsIfTheExperimentOrElseTheProfileSaysSo) {
  const auto cluster = cluster_from(run::yaml::parse_text(
      "scheduler: slurm\ndefaults: {cpus: 1, memory: 1G, time: 1h}\nallocations: {a: {}, b: {hook: "
      "on}}\n",
      "c.yaml"));
  const auto script = [&](const char* allocation, const std::string& key) {
    const auto point = point_on(cluster, allocation, "name: x\ncommand: [a]\n" + key);
    return script_text(point, *find_profile(cluster, allocation), context);
  };
  EXPECT_THAT(script("a", ""), Not(HasSubstr("--hook")));
  EXPECT_THAT(script("b", ""), HasSubstr("--hook"));
  EXPECT_THAT(script("a", "hook: on"), HasSubstr("--hook"));
  EXPECT_THAT(script("b", "hook: off"), Not(HasSubstr("--hook")));
}

TEST(Script, TheJobThatALimitEndedSubmitsTheNextIfTheExperimentSaysSo) {
  auto cluster = cluster_from(run::yaml::parse_text(sites[0].second, "rosie.yaml"));
  auto again = context;
  const auto retry = [&](const char* rules) {
    apply({.retry = run::yaml::parse_text(rules, "x.yaml")}, cluster);
  };
  retry("{timeout: resume}");
  expect_golden("rosie.cpu2.retry.sbatch",
                script_text(point_on(cluster, "cpu2"), cluster.allocations[0], again));
  EXPECT_THAT(script_text(point_on(cluster, "cpu2", service), cluster.allocations[0], again),
              Not(HasSubstr("epochcast_retry")))
      << "it does not go on";
  retry("{timeout: none, preempted: requeue}");
  EXPECT_THAT(script_text(point_on(cluster, "cpu2"), cluster.allocations[0], again),
              AllOf(HasSubstr("#SBATCH --requeue\n"), HasSubstr("\nepochcast_limit_attempts 3\n")));
  again.then = "true";
  EXPECT_THAT(script_text(point_on(cluster, "cpu2"), cluster.allocations[0], again),
              Not(HasSubstr("epochcast_retry")))
      << "a pilot";
}

TEST(Script, OfTwoProgramsIsTheGoldenOneInOneTaskAndInTwo) {
  for (const auto& [name, yaml] :
       {sites[0], sites[3], sites[4], sites[5], std::pair<std::string, std::string>{"pair", R"(
scheduler: slurm
defaults: {memory: 8G, time: 1h}
allocations:
  cpus: {nodes: 2, cpus: 4}
  gpus: {tasks_per_node: 2, cpus: 4, gpus: 1, gpu: t4, container: {runtime: pyxis, image: "a.sqsh"}}
)"}}) {
    const auto cluster = cluster_from(run::yaml::parse_text(yaml, name + ".yaml"));
    auto where = context;
    where.slurm = !cluster.is_local();
    for (const auto& site : cluster.allocations) {
      if (run::tasks_of(site.asks) <= 2) {
        expect_golden(fmt::format("{}.{}.serve.sbatch", name, site.name),
                      script_text(point_on(cluster, site.name, service), site, where));
        expect_golden(fmt::format("{}.{}.stream.sbatch", name, site.name),
                      script_text(point_on(cluster, site.name, stream), site, where));
      }
    }
  }
}

TEST(Script, BashAndShellcheckReportNothing) {
  const auto folder = std::string(EPOCHCAST_SOURCE_DIR) + "/tests/golden/scripts";
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
    const auto bash = process::run_command({"bash", "-n", files.back()}, 20);
    EXPECT_TRUE(bash.ok()) << bash.err;
  }
  ASSERT_GE(files.size(), 9U);
  const TempFolder out;  // SC1090: what brings the command module is known on the site only
  out.write("scripts/epochcast.sh", shell_functions);
  std::vector<std::string> words{"shellcheck", "--shell=bash", "--external-sources",
                                 "--exclude=SC1090", "--source-path=" + (out / "").string()};
  words.insert(words.end(), files.begin(), files.end());
  const auto lint = process::run_command(words, 120);
  if (lint.status == 127) {
    GTEST_SKIP() << "shellcheck is not installed";
  }
  EXPECT_TRUE(lint.ok()) << lint.out << lint.err;
}

TEST(Script, TimeIsRoundedUpToMinutesAsSlurmDoes) {
  EXPECT_EQ(slurm_time({30}), "0-00:01:00");
  EXPECT_EQ(slurm_time({60}), "0-00:01:00");
  EXPECT_EQ(slurm_time({61}), "0-00:02:00");
  EXPECT_EQ(slurm_time({90061}), "1-01:02:00");
}

TEST(Script, SbatchValuesAreQuotedOrRefused) {
  EXPECT_EQ(sbatch_quote("plain-1.2/x"), "plain-1.2/x");
  EXPECT_EQ(sbatch_quote("a b"), "\"a b\"");
  EXPECT_EQ(sbatch_quote("a\"b\\c'd"), "\"a\\\"b\\\\c'd\"");
  EXPECT_EQ(error_of([] { sbatch_quote("a\nb"); }),
            "found 'a\nb' with a line break, which no #SBATCH line can hold");
  EXPECT_EQ(error_of([] { sbatch_quote(std::string(9000, 'x')); }),
            "found 9000 characters for an #SBATCH line, expected at most 8000");
}

TEST(Script, RawOptionsWithBlanksAreQuoted) {
  const auto cluster = cluster_from(run::yaml::parse_text(
      "scheduler: slurm\ndefaults: {memory: 1G, time: 1h, sbatch: [\"--wckey=my name x\", "
      "\"--comment='as is'\", \"-w a\"]}\nallocations: {a: {cpus: 1}}",
      "c.yaml"));
  const auto text = array_script_text(cluster.allocations[0], context, "/t");
  EXPECT_THAT(text, HasSubstr("#SBATCH --wckey=\"my name x\"\n"));
  EXPECT_THAT(text, HasSubstr("#SBATCH --comment='as is'\n#SBATCH -w a\n"));
}

TEST(Script, APercentSignInTheFolderIsNoPatternAndABackslashIsRefused) {
  const auto cluster = cluster_from(run::yaml::parse_text(sites[0].second, "rosie.yaml"));
  auto odd = context;
  odd.out = "/data/50% done";
  EXPECT_THAT(script_text(point_on(cluster, "cpu2"), cluster.allocations[0], odd),
              HasSubstr("#SBATCH --output=\"/data/50%% done/logs/%x-%j.out\"\n"));
  odd.out = "/data/a\\b";
  EXPECT_EQ(
      error_of([&] { script_text(point_on(cluster, "cpu2"), cluster.allocations[0], odd); }),
      "/data/a\\b: a backslash in the output folder's path cannot be written in #SBATCH --output");
}

/// Characters that have hurt generators before, and any others.
std::string hostile(std::mt19937& random) {
  static const std::vector<std::string> pieces{
      " ", "'",  "\"", "$",  "`", "%",  "\\", "$(touch x)", "${HOME}", "*", "?", "~",
      "#", ";",  "&",  "|",  "<", ">",  "!",  "{",          "}",       "[", "]", "(",
      ")", "\t", "é",  "漢", "🎨", "--", "-n", "=",          "a",       "B", "7"};
  std::string text;
  for (auto length = 1 + random() % 12; length > 0; --length) {
    text += pieces[random() % pieces.size()];
  }
  return text;
}

// The whole way: a script with hostile names is run by bash, and the trainer prints what it was
// given.
TEST(Script, HostileNamesPathsAndModulesArriveUnchanged) {
  const TempFolder folder;
  std::mt19937 random(20261121);
  for (int round = 0; round < 60; ++round) {
    auto name = hostile(random), path = hostile(random), module = hostile(random),
         allocation = hostile(random), out = hostile(random);
    std::replace(out.begin(), out.end(), '\\', '_');
    const auto root = folder / fmt::format("{}{}", round, out);
    const auto trainer =
        folder.write(fmt::format("bin{}{}/echo-words", round, out),
                     "#!/bin/bash\nprintf '%s\\n' \"$@\" \"$MODULES\" >\"$0.out\"\n", true);
    test::make_out(root);
    AllocationProfile site{.name = allocation,
                           .asks = {.cpus = 1, .memory = {1 << 30}, .time = {3600}},
                           .launch = {.trainer = trainer},
                           .modules = {module},
                           .setup = {},
                           .launch_prefix = {},
                           .sbatch = {}};
    const Point point{"p", allocation, {{"dataset.path", path, "text", "1"}}, {}, {}};
    const auto script = folder.write("s.sh", "module() { MODULES+=\"$2\"; export MODULES; }\n" +
                                                 script_text(point, site, {root, name, "", true}));
    const auto result = process::run_command(
        {"bash", script}, 20, {{"SLURM_CPUS_PER_TASK", "1"}, {"EPOCHCAST_JOB_ID", "local-1"}});
    ASSERT_TRUE(result.ok()) << result.err << read_file(script);
    const std::vector<std::string> words{"--point=p",
                                         "--experiment=" + name,
                                         "--allocation=" + allocation,
                                         "--records=" + root.string() + "/records",
                                         "--work=" + root.string() + "/work",
                                         "--resume=false",
                                         "--dataset.path=" + path,
                                         module};
    EXPECT_EQ(read_file(trainer + ".out"), join(words, "\n") + "\n");
  }
}

/// What of `names` a program sees in a job with these setup lines and this environment.
std::string seen_by(const std::vector<std::string>& command, const std::vector<std::string>& setup,
                    std::map<std::string, std::string> environment) {
  const TempFolder folder;
  test::make_out(folder / "");
  const auto runner = folder.write(
      "bin/epochcast-run",
      "#!/bin/bash\nenv | grep -E '^(OMP_NUM|OMP_PROC|MKL|PYTORCH|CUDA_LAUNCH)' | sort "
      ">\"$0.out\"\n",
      true);
  unsetenv("OMP_NUM_THREADS");  // of the test's own environment
  AllocationProfile site{.name = "a",
                         .asks = {.cpus = 8, .memory = {1 << 30}, .time = {3600}},
                         .launch = {.trainer = folder / "bin/epochcast-train"},
                         .modules = {},
                         .setup = setup,
                         .launch_prefix = {},
                         .sbatch = {}};
  ScriptContext local{folder / "", "x", "", false};
  local.wraps_command = !command.empty();
  if (command.empty()) {
    folder.write("bin/epochcast-train", read_file(runner), true);
  }
  Point point{"p", "a", {}, {}, {}};
  point.program.command = command;
  const auto script = folder.write("s.sh", script_text(point, site, local));
  environment.emplace("SLURM_CPUS_PER_TASK", "8");
  environment.emplace("EPOCHCAST_JOB_ID", "local-1");
  const auto result = process::run_command({"bash", script}, 20, environment);
  EXPECT_TRUE(result.ok()) << result.err;
  const auto program = command.empty() ? "bin/epochcast-train.out" : "bin/epochcast-run.out";
  return join(split(trim(read_file(folder / program)), '\n'), " ");
}

TEST(Script, WhatTheUserSetsReachesTheUsersProgram) {
  const std::vector<std::string> python{"python3", "train.py"};
  EXPECT_EQ(seen_by(python, {}, {}), "OMP_NUM_THREADS=8");
  EXPECT_EQ(seen_by(python, {}, {{"OMP_NUM_THREADS", "3"}, {"MKL_DYNAMIC", "FALSE"}}),
            "MKL_DYNAMIC=FALSE OMP_NUM_THREADS=3");
  EXPECT_EQ(
      seen_by(python,
              {"export OMP_NUM_THREADS=2 OMP_PROC_BIND=close", "export CUDA_LAUNCH_BLOCKING=1",
               "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"},
              {{"OMP_NUM_THREADS", "3"}}),
      "CUDA_LAUNCH_BLOCKING=1 OMP_NUM_THREADS=2 OMP_PROC_BIND=close "
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
  EXPECT_EQ(seen_by(python, {"unset OMP_NUM_THREADS"}, {}), "");
  EXPECT_EQ(seen_by({"torchrun", "--nproc_per_node=4", "train.py"}, {}, {}), "")
      << "torchrun sets it for each of its processes";
}

TEST(Script, TheEnvironmentOfTheUserDoesNotReachTheTrainerButTheSetupDoes) {
  const auto threads = "MKL_NUM_THREADS=8 OMP_NUM_THREADS=8";
  EXPECT_THAT(seen_by({}, {}, {{"OMP_NUM_THREADS", "3"}, {"CUDA_LAUNCH_BLOCKING", "1"}}), threads);
  EXPECT_THAT(seen_by({}, {"export CUDA_LAUNCH_BLOCKING=1"}, {}),
              std::string("CUDA_LAUNCH_BLOCKING=1 ") + threads);
}

TEST(Script, KnowsWhichProgramIsMissing) {
  const TempFolder folder;
  AllocationProfile site{.name = "a",
                         .asks = {},
                         .launch = {},
                         .modules = {},
                         .setup = {},
                         .launch_prefix = {},
                         .sbatch = {}};
  ScriptContext own{"/out", "x", folder.write("epochcast-train", "", true), true};
  EXPECT_EQ(missing_program(site, own), "");
  own.wraps_command = true;
  EXPECT_EQ(missing_program(site, own), folder / "epochcast-run");
  folder.write("epochcast-run", "", true);
  EXPECT_EQ(missing_program(site, own), "");
  site.launch.trainer = folder / "nowhere/epochcast-train";
  EXPECT_EQ(missing_program(site, own), folder / "nowhere/epochcast-run");
  site.launch_prefix = {"bash", "-c"};  // found by PATH
  EXPECT_EQ(missing_program(site, own), "");
  site.launch_prefix = {"epochcast-no-such-wrapper"};
  EXPECT_EQ(missing_program(site, own), "epochcast-no-such-wrapper");
}

/// A script that was written and its claim folder; what it says and how it ends.
struct Claimed {
  TempFolder folder;
  std::string script;
  Claimed() {
    test::make_out(folder / "");
    const auto trainer =
        folder.write("train", "#!/bin/bash\necho ran \"$@\"\nexit \"${FAKE_EXIT:-0}\"\n", true);
    AllocationProfile site{.name = "a",
                           .asks = {},
                           .launch = {.trainer = trainer},
                           .modules = {},
                           .setup = {},
                           .launch_prefix = {},
                           .sbatch = {}};
    script = folder.write("s.sh",
                          script_text({"p", "a", {}, {}, {}}, site, {folder / "", "x", "", false}));
  }
  process::CommandResult run(std::map<std::string, std::string> environment) const {
    environment.emplace("SLURM_CPUS_PER_TASK", "1");
    return process::run_command({"bash", script}, 20, environment);
  }
};

TEST(Script, WithoutItsFunctionsItFailsAndSaysWhatToDo) {
  const Claimed claimed;
  std::filesystem::remove(claimed.folder / ("scripts/" + shell_file_name()));
  const auto result = claimed.run({{"EPOCHCAST_JOB_ID", "local-1"}});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("/scripts/" + shell_file_name() + ": No such file"),
                    HasSubstr("\nepochcast: call 'generate', then 'resubmit --missing'")));
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(is_there(claimed.folder / "claims/p"));
}

TEST(Script, TheFunctionsThatAreBuiltInAreThoseOfTheFileThatIsChecked) {
  EXPECT_EQ(shell_functions,
            read_file(std::string(EPOCHCAST_SOURCE_DIR) + "/jobs/script/epochcast.sh"));
}

TEST(Script, TheFirstJobToClaimAPointRunsItAndNoOther) {
  const Claimed claimed;
  EXPECT_THAT(claimed.run({{"EPOCHCAST_JOB_ID", "local-1"}}).out, HasSubstr("ran"));
  const auto second = claimed.run({{"EPOCHCAST_JOB_ID", "local-2"}});
  EXPECT_EQ(second.status, 0);
  EXPECT_THAT(second.out, Not(HasSubstr("ran")));
  EXPECT_EQ(second.err, "epochcast: p is claimed by job local-1; nothing to do\n");
}

TEST(Script, ARequeuedJobKeepsItsClaimAndContinues) {
  const Claimed claimed;
  EXPECT_THAT(claimed.run({{"EPOCHCAST_JOB_ID", "local-1"}}).out, HasSubstr("--resume=false"));
  EXPECT_THAT(claimed.run({{"EPOCHCAST_JOB_ID", "local-1"}, {"SLURM_RESTART_COUNT", "1"}}).out,
              HasSubstr("--resume=true"));
}

TEST(Script, AClaimThatCannotBeWrittenIsAFailure) {
  const Claimed claimed;
  std::filesystem::remove(claimed.folder / "claims");
  const auto result = claimed.run({{"EPOCHCAST_JOB_ID", "local-1"}});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot be written"));
}

TEST(Script, TheTrainersExitStatusIsTheJobs) {
  for (const auto* status : {"0", "1", "2", "75"}) {
    const Claimed claimed;
    EXPECT_EQ(claimed.run({{"EPOCHCAST_JOB_ID", "local-1"}, {"FAKE_EXIT", status}}).status,
              std::stoi(status));
  }
}

TEST(Script, ItIsNoJobWithoutASchedulerOrARunner) {
  const Claimed claimed;
  const auto result = claimed.run({});
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.err,
              HasSubstr("not a job: submit this with sbatch, or use epochcast-jobs run"));
}

}  // namespace
}  // namespace epochcast::jobs
