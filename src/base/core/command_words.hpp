// The words of a command that starts a program: which of them is the program itself.
#pragma once

#include <cstddef>
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

}  // namespace epochcast
