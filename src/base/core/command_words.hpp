// The words of a command that starts a program: which of them is the program itself, and which are
// values of its options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace epochcast {

/// The word that names the script or the module: what comes before belongs to its interpreter or
/// launcher. 0 for a program that is started by itself.
std::size_t script_word(const std::vector<std::string>& words);

/// Whether the command is a launcher that starts several processes of the program on this machine:
/// torchrun, accelerate launch, deepspeed, mpirun, python -m torch.distributed.run, ...
bool starts_several(const std::vector<std::string>& words);

/// The name of that script, module or program, without folder and ending: "train" of "python3 -u
/// src/train.py", "pkg.train" gives "train". "program" if it has none.
std::string program_name(const std::vector<std::string>& words);

/// A value in a command line.
struct CommandOption {
  std::size_t word = 0;    ///< The word that has the value.
  std::size_t offset = 0;  ///< Where the value begins in it: after "--lr=".
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
