// From the events of a profile to the sums of each operator, by the rules of PyTorch's
// torch.autograd.profiler_util (read in 2.11): what `prof.key_averages()` gives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/measure/operators/events.hpp"
#include "src/record/operator_rows.hpp"

namespace epochcast::operators {

/// What the calls of an operator compute, counted in a step after the profiled ones.
struct CountedWork {
  std::int64_t calls = 0;        ///< All of that step, also those that compute nothing themselves.
  double flops = 0;              ///< 2 a multiply-add.
  double convolution_flops = 0;  ///< Part of it.
  double bytes = 0;              ///< Tensor bytes read and written, as if there were no cache.
};
using WorkByName = std::map<std::string, CountedWork, std::less<>>;

struct OperatorSums {
  std::vector<record::Operator> operators;    ///< In the order of their first event.
  std::vector<record::OperatorShape> shapes;  ///< Host operators; empty if none has shapes.
  double self_cpu_s = 0;                      ///< Over all operators.
  double self_device_s = 0;                   ///< Over all kernels.
};

/// Calls nest on their thread, as far as one lies within the other. Self time is the own duration
/// without that of the direct children; an only child of the same name is merged into its parent
/// (and, as in PyTorch, its kernels replace those of the parent). A kernel belongs to the call with
/// its linked id. `work` is the mean work a call, times the calls of the profile. work_s of an
/// operator is the time of its calls, except those within an operator whose FLOP are counted, and
/// those that call an operator with work of its own.
OperatorSums sum_by_operator(std::vector<Event> events, const WorkByName& work = {});

}  // namespace epochcast::operators
