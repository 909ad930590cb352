// The first passes of a network, which are slower than all others.
#pragma once

#include <cstddef>

#include "src/training/loop/predictor.hpp"

namespace epochcast::serve {

/// Predicts for made-up inputs: one alone, then `batch`, twice each. Throws what the predictor
/// does.
void warm_up(Predictor& predictor, std::size_t batch);

}  // namespace epochcast::serve
