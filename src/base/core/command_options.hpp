// The options in the command line of any program: which of its words are values of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace epochcast {

/// A value in a command line.
struct CommandOption {
  std::size_t word = 0;    ///< The word that has the value.
  std::size_t offset = 0;  ///< Where the value begins in it: behind "--lr=".
  std::string name;        ///< "lr" of "--lr 0.1", "learning_rate" of "--learning-rate=0.1".
  std::string value;
};

/// The values of the options after the script: "--lr 0.1", "--lr=0.1", "-lr 0.1", "lr=0.1".
std::vector<CommandOption> options_of(const std::vector<std::string>& words);

/// "epochs" or "steps" if `name` is one of the usual names of these and `value` is a whole number
/// above 0; otherwise `name`.
std::string setting_name(const std::string& name, const std::string& value);

/// The number of epochs that a command line asks for: "--epochs 10", "trainer.max_epochs=10".
/// std::nullopt if it has none, or several that differ, or a number of steps as well, which may end
/// the run first.
std::optional<std::int64_t> epochs_in(const std::vector<std::string>& words);

}  // namespace epochcast
