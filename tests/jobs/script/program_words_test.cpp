// Scripts of a program of the user's, run by bash: what arrives at epochcast-run.
#include "jobs/script/program_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/experiment/program.hpp"
#include "jobs/script/script.hpp"
#include "src/base/core/text.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::TempFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;

/// Stands for epochcast-run: writes its words and two variables, each ended by NUL.
const std::string listener =
    "#!/bin/bash\nprintf '%s\\0' \"$@\" >\"${0%/*}/words\"\n"
    "printf '%s\\0' \"${VALUE-unset}\" \"${out-unset}\" >\"${0%/*}/variables\"\n";

class ProgramScript : public testing::Test {
 protected:
  ProgramScript() {
    folder_.write("epochcast-run", listener, true);
    test::make_out(folder_ / "out");
    site_.launch.trainer = folder_ / "epochcast-train";
  }

  process::CommandResult run(const Point& point,
                             std::map<std::string, std::string> environment = {},
                             bool slurm = true) {
    environment.emplace("SLURM_CPUS_PER_TASK", "1");
    environment.emplace("EPOCHCAST_JOB_ID", "local-1");
    const ScriptContext context{folder_ / "out", "x", "", slurm, true};
    const auto script = folder_.write("s.sh", script_text(point, site_, context));
    return process::run_command({"bash", script}, 20, environment);
  }

  Words listed(const std::string& file) const {
    auto words = split(read_file(folder_ / file), '\0');
    words.pop_back();
    return words;
  }

  /// The words behind "--".
  Words command() const {
    auto words = listed("words");
    words.erase(words.begin(), std::ranges::find(words, "--") + 1);
    return words;
  }

  TempFolder folder_;
  AllocationProfile site_{.name = "a",
                          .asks = {.cpus = 1, .memory = {1 << 30}, .time = {3600}},
                          .launch = {},
                          .modules = {},
                          .setup = {},
                          .launch_prefix = {},
                          .sbatch = {}};
};

/// The record has the words of the experiment: those of repeats are the same.
TEST_F(ProgramScript, TheRecordGetsTheCommandWithItsPlaceholders) {
  const Program program{.command = {"prog", "--out={work}/a b", "{seed}"}};
  for (const std::string seed : {"1", "2"}) {
    run({"p" + seed, "a", {{"seed", seed, "integer", "1"}}, program, {{"seed", seed}}});
    EXPECT_THAT(listed("words"), Contains("--parameter=command=prog '--out={work}/a b' '{seed}'"));
    EXPECT_EQ(command()[2], seed);
  }
  run({"p", "a", {}, {.command = {"prog"}}, {}});
  EXPECT_THAT(listed("words"), Not(Contains(StartsWith("--parameter=command")))) << "as it is run";
}

TEST_F(ProgramScript, HostileWordsAndValuesArriveUnchanged) {
  const Words hostile{"",       "-",    "--",    "-n x", "$HOME",     "$(touch x)",
                      "`id`",   "it's", "\"q\"", "a\nb", "\n",        "a\\nb",
                      "{x}",    "*",    "?",     "~",    "a;b&c|d>e", "#",
                      " a  b ", "\t",   "é漢🎨",  "!!",   "%s",        "--folder=/x"};
  for (const auto& value : hostile) {
    Program program{.command = {"prog", "{v}", "--v={v}", with_literal_braces(value)}};
    program.folder = "/";
    program.environment = {{"VALUE", "<{v}>"}, {"out", value.empty() ? "" : "{v}"}};
    const Point point{"p", "a", {{"v", value, "text", "1"}}, program, {{"v", value}}};
    const auto result = run(point);
    ASSERT_TRUE(result.ok()) << result.err;
    EXPECT_EQ(command(), (Words{"prog", value, "--v=" + value, value}));
    EXPECT_THAT(listed("words"), Contains("--parameter=v=" + value));
    EXPECT_THAT(listed("words"), Contains("--records=" + (folder_ / "out/records").string()))
        << "the script's own 'out' is not the program's";
    EXPECT_THAT(listed("variables"), ElementsAre("<" + value + ">", value));
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("<" + value))) << "printed";
    std::filesystem::remove(folder_ / "out/claims/p");
  }
}

TEST_F(ProgramScript, AVariableWithoutAValueIsPassedOnOrMissed) {
  Program program{.command = {"prog"}, .folder = "/", .environment = {{"VALUE", std::nullopt}}};
  const Point point{"p", "a", {}, program, {}};
  const auto missed = run(point);
  EXPECT_EQ(missed.status, 1);
  EXPECT_THAT(missed.err, HasSubstr("environment: VALUE is not set; set it where you submit"));
  const auto passed = run(point, {{"VALUE", "secret"}});
  EXPECT_TRUE(passed.ok()) << passed.err;
  EXPECT_THAT(listed("variables"), Contains("secret"));
  EXPECT_THAT(read_file(folder_ / "s.sh"), Not(HasSubstr("secret")));
}

TEST_F(ProgramScript, TheWordsOfResumeComeOnlyAfterAStopAndWithTheirFile) {
  Program program{.command = {"prog"}, .folder = folder_ / ""};
  program.resume = {{"--resume", "last ckpt/x"}, {"last ckpt/x"}};
  const Point point{"p", "a", {}, program, {}};
  folder_.write("last ckpt/x", "");
  EXPECT_TRUE(run(point).ok());
  EXPECT_THAT(command(), ElementsAre("prog")) << "the first attempt";

  const std::map<std::string, std::string> requeued{{"SLURM_RESTART_COUNT", "1"}};
  auto said = run(point, requeued).out;
  EXPECT_THAT(command(), ElementsAre("prog", "--resume", "last ckpt/x"));
  EXPECT_THAT(listed("words"), Contains("--resumed-from=" + (folder_ / "last ckpt/x").string()));
  EXPECT_THAT(said, HasSubstr("p goes on from " + (folder_ / "last ckpt/x").string()));

  folder_.write("out/claims/p.resume", "");
  EXPECT_TRUE(run(point).ok());
  EXPECT_THAT(command(), ElementsAre("prog", "--resume", "last ckpt/x")) << "by resubmit";

  std::filesystem::remove(folder_ / "last ckpt/x");
  said = run(point).out;
  EXPECT_THAT(command(), ElementsAre("prog"));
  EXPECT_THAT(listed("words"), Not(Contains(StartsWith("--resumed-from"))));
  EXPECT_THAT(said, HasSubstr("p starts over: there is no "));
}

TEST_F(ProgramScript, WordsOfResumeWithoutAFileAlwaysCome) {
  Program program{.command = {"prog"}, .folder = "/"};
  program.resume = {{"--auto resume"}, {}};
  const Point point{"p", "a", {}, program, {}};
  EXPECT_TRUE(run(point, {{"SLURM_RESTART_COUNT", "1"}}).ok());
  EXPECT_THAT(command(), ElementsAre("prog", "--auto resume"));
  EXPECT_THAT(listed("words"), Contains("--resumed-from=--auto resume"));
}

TEST_F(ProgramScript, AFolderInTheWorkFolderIsMade) {
  Program program{.command = {"prog"}, .folder = "{work}/a b"};
  const Point point{"p", "a", {}, program, {}};
  EXPECT_TRUE(run(point).ok());
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "out/work/p/a b"));
  EXPECT_THAT(listed("words"), Contains("--folder=" + (folder_ / "out/work/p/a b").string()));
}

TEST_F(ProgramScript, PathsAreRelativeToTheFolder) {
  Program program{.command = {"prog"},
                  .folder = "/data/",
                  .inputs = {"in/../x", "/abs"},
                  .outputs = {"o"},
                  .metrics = "m"};
  const auto full = program_in({"p", "a", {}, program, {}}, "/out");
  EXPECT_EQ(full.folder, "/data");
  EXPECT_THAT(full.inputs, ElementsAre("/data/x", "/abs"));
  EXPECT_THAT(full.outputs, ElementsAre("/data/o"));
  EXPECT_EQ(full.metrics, "/data/m");
  program.folder = "";
  EXPECT_EQ(program_in({"p", "a", {}, program, {}}, "/out").folder,
            std::filesystem::current_path().string());
}

}  // namespace
}  // namespace epochcast::jobs
