// Lines that state that the program counts again: "Fold 2", "resuming from epoch 3".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/reading/reading.hpp"

namespace epochcast::progress {

Statement statement_of(std::string_view text);

/// A line that states so has one of these texts.
const std::vector<std::string>& statement_hints();

/// Whether the line says that the training begins here: "Start training", "Training started.".
bool begins_training(std::string_view text);

}  // namespace epochcast::progress
