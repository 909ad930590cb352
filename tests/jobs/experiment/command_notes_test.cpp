#include "jobs/experiment/command_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/jobs/support.hpp"

namespace epochcast::jobs {
namespace {

using test::error_of;
using test::TempFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Words = std::vector<std::string>;

class CommandNotesTest : public testing::Test {
 protected:
  CommandNotesTest() {
    folder_.write("job.sh",
                  "#!/bin/bash\n#SBATCH --partition=gpu\n#SBATCH  --time=02:00:00\n"
                  "module load cuda\nX=1\n# train\nsrun -n1 python3 train.py \\\n"
                  "  --epochs 12\n");
    folder_.write("two.sh", "#!/bin/bash\npython3 a.py\npython3 b.py\n");
  }
  std::string refusal(const Words& words) const {
    return error_of([&] { std::ignore = command_notes(words, folder_ / ""); });
  }
  std::vector<std::string> notes(const Words& words) const {
    return command_notes(words, folder_ / "");
  }

  TempFolder folder_;
};

TEST_F(CommandNotesTest, ASubmissionIsRefusedWithTheCommandToGive) {
  const auto text = refusal({"/usr/bin/sbatch", "-t", "5", "job.sh"});
  EXPECT_THAT(text, HasSubstr("/usr/bin/sbatch submits a job and returns at once"));
  EXPECT_THAT(text, HasSubstr("what job.sh asks for: --partition=gpu --time=02:00:00."));
  EXPECT_TRUE(text.ends_with("epochcast-jobs init -- python3 train.py --epochs 12")) << text;
  EXPECT_TRUE(refusal({"sbatch", "--wrap=python3 x.py -n 3"}).ends_with("-- python3 x.py -n 3"));
  for (const Words& words : {Words{"sbatch", "two.sh"}, {"sbatch", "gone.sh"}, {"qsub", "a"}}) {
    EXPECT_THAT(refusal(words),
                AllOf(HasSubstr("Give the command that the job runs"), Not(HasSubstr("asks for"))));
  }
}

TEST_F(CommandNotesTest, SbatchLinesOfAScriptHaveNoEffect) {
  EXPECT_THAT(notes({"bash", "job.sh"}),
              ElementsAre(HasSubstr("job.sh: its #SBATCH lines have no effect")));
  EXPECT_THAT(notes({"./job.sh"}), ElementsAre(HasSubstr("--partition=gpu")));
  EXPECT_THAT(notes({"bash", "two.sh"}), IsEmpty());
}

TEST_F(CommandNotesTest, WordsForAShellStayAsTheyAre) {
  for (const auto* word : {"$SCRATCH/run1", "--out=${A}", "$(pwd)", "`pwd`", "~/data"}) {
    EXPECT_THAT(notes({"python3", "train.py", word}),
                ElementsAre(AllOf(HasSubstr("no shell reads the command"), HasSubstr(word))));
    EXPECT_THAT(notes({"bash", "-c", word}), IsEmpty());
  }
  EXPECT_THAT(notes({"python3", "train.py", "5$", "a~", "{work}"}), IsEmpty());
}

}  // namespace
}  // namespace epochcast::jobs
