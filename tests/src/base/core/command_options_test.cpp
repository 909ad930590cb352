#include <gtest/gtest.h>

#include "src/base/core/command_words.hpp"

namespace epochcast {
namespace {

TEST(CommandOptions, TheEpochsOfACommandLineCountIfNothingContradictsThem) {
  using Words = std::vector<std::string>;
  const std::vector<std::pair<Words, std::optional<std::int64_t>>> cases{
      {{"python3", "train.py", "--epochs", "12"}, 12},
      {{"python3", "train.py", "--num-epochs=12", "--lr", "0.1"}, 12},
      {{"python3", "train.py", "trainer.max_epochs=12"}, 12},
      {{"./train", "-epochs", "12"}, 12},
      {{"python3", "train.py", "--epochs", "12", "--max-epochs", "12"}, 12},
      {{"python3", "train.py", "--epochs", "12", "--max-epochs", "20"}, std::nullopt},
      {{"python3", "train.py", "--epochs", "12", "--max-steps", "500"}, std::nullopt},
      {{"python3", "train.py", "--epoch", "12"}, std::nullopt},
      {{"python3", "train.py", "--epochs", "many"}, std::nullopt},
      {{"python3", "train.py", "--warmup-epochs", "5"}, std::nullopt},
      {{"python3", "train.py"}, std::nullopt}};
  for (const auto& [words, epochs] : cases) {
    EXPECT_EQ(epochs_in(words), epochs) << words.back();
  }
}

}  // namespace
}  // namespace epochcast
