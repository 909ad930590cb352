#include "src/base/core/command_words.hpp"

#include <gtest/gtest.h>

namespace epochcast {
namespace {

TEST(CommandWords, TheScriptComesAfterItsInterpreterOrLauncher) {
  EXPECT_EQ(script_word({"python3", "-u", "train.py"}), 2U);
  EXPECT_EQ(script_word({"python3", "-m", "pkg.train"}), 2U);
  EXPECT_EQ(script_word({"python3", "-m", "torch.distributed.run", "--nproc_per_node=2", "t.py"}),
            4U);
  EXPECT_EQ(script_word({"./train", "--steps", "3"}), 0U);
}

TEST(CommandWords, LaunchersStartSeveralProcesses) {
  EXPECT_TRUE(starts_several({"torchrun", "--nproc_per_node=8", "train.py"}));
  EXPECT_TRUE(starts_several({"/opt/env/bin/accelerate", "launch", "train.py"}));
  EXPECT_TRUE(starts_several({"python3", "-m", "torch.distributed.run", "train.py"}));
  EXPECT_TRUE(starts_several({"mpirun", "-n", "4", "./train"}));
  EXPECT_FALSE(starts_several({"python3", "train.py", "torchrun"}));
  EXPECT_FALSE(starts_several({"./train"}));
}

TEST(CommandWords, AProgramIsCalledAfterItsScriptOrModule) {
  EXPECT_EQ(program_name({"python3", "-u", "src/train.py", "--lr=1"}), "train");
  EXPECT_EQ(program_name({"python3", "-m", "pkg.train"}), "train");
  EXPECT_EQ(program_name({"/usr/bin/env", "bash", "./run.sh"}), "run");
  EXPECT_EQ(program_name({"./train", "--steps", "3"}), "train");
  EXPECT_EQ(program_name({"python3", "-c", "pass"}), "python3");
  EXPECT_EQ(program_name({"/"}), "program");
}

}  // namespace
}  // namespace epochcast
