// What `check` finds for a program of the user's, through needs.csv.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/campaign/generate.hpp"
#include "jobs/submit/check.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using test::TempFolder;
using test::WithVariable;
using testing::HasSubstr;
using testing::IsEmpty;

class CheckNeed : public testing::Test {
 protected:
  CheckNeed() {
    folder_.write("bin/epochcast-run", "#!/bin/bash\necho 1\n", true);
    folder_.write("run/train", "", true);
    folder_.write("run/plain", "");
  }

  /// The problems, one a line, and then the remarks.
  std::string check_of(const std::string& experiment, const std::string& allocation = "{}") {
    const auto cluster = folder_.write("c.yaml", "scheduler: local\ndefaults: {trainer: " +
                                                     (folder_ / "bin/epochcast-train").string() +
                                                     "}\nallocations:\n  a: " + allocation + "\n");
    const auto file = folder_.write(
        "x.yaml", "name: x\nfolder: " + (folder_ / "run").string() + "\n" + experiment);
    std::filesystem::remove_all(folder_ / "out");
    generate({file, cluster, folder_ / "out", {}, {}});
    const auto report = check(folder_ / "out");
    std::string lines;
    for (const auto& problem : report.problems) {
      lines += problem.where + ": " + problem.text + ". Fix: " + problem.fix + "\n";
    }
    for (const auto& remark : report.remarks) {
      lines += remark + "\n";
    }
    return lines;
  }

  TempFolder folder_;
};

TEST_F(CheckNeed, NothingIsWrongWithWhatIsThere) {
  EXPECT_THAT(check_of("command: [./train]\ninputs: [plain, .]"), IsEmpty());
  EXPECT_THAT(check_of("command: [bash, plain]"), IsEmpty());
}

TEST_F(CheckNeed, EveryMissingInputIsNamedOnce) {
  const auto found = check_of(
      "command: [./train]\ninputs: ['data-{lr}.csv', plain]\nrepeats: 3\nsweep: {lr: [1, 2]}");
  EXPECT_THAT(found, testing::MatchesRegex(
                         ".*/run/data-1.csv: the input does not exist \\(x.a.r0-.*\\). Fix: "
                         "correct 'inputs:', or make it\n.*/run/data-2.csv: .*\n"));
}

TEST_F(CheckNeed, TheProgramItsFolderAndItsVariablesMustBeThere) {
  EXPECT_THAT(check_of("command: [./trian]"), HasSubstr("/run/trian: the program of 'command:' "
                                                        "does not exist"));
  EXPECT_THAT(check_of("command: [./plain]"), HasSubstr("is not executable"));
  EXPECT_THAT(check_of("command: [pyhton3]"), HasSubstr("pyhton3: the program of 'command:' is "
                                                        "not in PATH"));
  EXPECT_THAT(check_of("command: [pyhton3]\nenvironment: {PATH: /x}"), IsEmpty());
  EXPECT_THAT(check_of("command: [bash]\nenvironment: {EPOCHCAST_TEST_TOKEN: }"),
              HasSubstr("EPOCHCAST_TEST_TOKEN: the variable of 'environment:' is not set"));
  const WithVariable token("EPOCHCAST_TEST_TOKEN", "x");
  EXPECT_THAT(check_of("command: [bash]\nenvironment: {EPOCHCAST_TEST_TOKEN: }"), IsEmpty());
}

TEST_F(CheckNeed, WhatModulesMayDeliverIsARemark) {
  const auto found = check_of("command: [pyhton3]", "{setup: ['true']}");
  EXPECT_THAT(found,
              HasSubstr("allocation 'a': pyhton3: the program of 'command:' is not in PATH"));
  EXPECT_THAT(found, HasSubstr("the job must have it"));
}

TEST_F(CheckNeed, NeedsComeBackFromTheirFile) {
  const OutFolder out(folder_ / "out");
  make_folder(out.root);
  const std::vector<Need> needs{{Need::Kind::program, "a\n\"b\",c", "x", "p"},
                                {Need::Kind::variable, "V", "x", "q"}};
  write_file(out.needs(), needs_text(needs));
  EXPECT_EQ(read_needs(out), needs);
  write_file(out.needs(), "kind,what,allocation,point\nnone,a,b,c\n");
  EXPECT_THAT(error_of([&] { std::ignore = read_needs(out); }),
              HasSubstr("needs.csv:2: is not a line of needs"));
}

}  // namespace
}  // namespace epochcast::jobs
