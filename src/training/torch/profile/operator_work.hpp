// Counts what every operator of a step computes, moves and how often it is called.
#pragma once

#include "src/measure/operators/sums.hpp"

namespace epochcast::libtorch {

/// Begins to count on all threads. Between start_counting_work() and stop_counting_work() operators
/// take longer. One at a time in a process.
void start_counting_work();

/// What was counted since, by name. FLOP are those of count_operators: of convolutions, matrix
/// products and attention. Their bytes are the tensors of these calls; of the other operators they
/// are the tensors of the innermost call that moves data: not of a view, not of an allocation.
/// Operators without either are left out.
operators::WorkByName stop_counting_work();

}  // namespace epochcast::libtorch
