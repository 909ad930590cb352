// Rows of a profile: which operators the steps of a run consist of, and how long each took.
#pragma once

#include <cstdint>

#include "src/base/core/fields.hpp"
#include "src/record/fixed_text.hpp"

namespace epochcast::record {

/// What was profiled, and the sums that the shares of its operators refer to. One row, or none.
struct Profile {
  FixedText<128> covers;
  FixedText<16> device;
  std::int64_t first_epoch = -1;
  std::int64_t first_iteration = -1;
  std::int64_t steps = 0;
  double wall_s = 0;
  double self_cpu_s = 0;
  double self_device_s = 0;
};
constexpr auto fields_of(Tag<Profile>) {
  return FieldTable{
      Field{"covers", "1", "What was profiled, in words", &Profile::covers},
      Field{"device", "1", "Device of the run: cpu, cuda; in published profiles also mps",
            &Profile::device},
      Field{"first_epoch", "epochs", "Epoch of the first profiled step, from 0; -1: no steps",
            &Profile::first_epoch},
      Field{"first_iteration", "iterations",
            "Its index within the epoch, from 0; the others follow; -1: no steps",
            &Profile::first_iteration},
      Field{"steps", "iterations", "Profiled steps of rank 0; 0: not a profile of steps",
            &Profile::steps},
      Field{"wall_s", "s", "Their duration on the host without loading of the batch; 0: not known",
            &Profile::wall_s},
      Field{"self_cpu_s", "s", "Sum of self_cpu_s over all operators, also over unpublished ones",
            &Profile::self_cpu_s},
      Field{"self_device_s", "s",
            "Duration of all kernels on the GPU, also of unpublished ones; 0: no kernels",
            &Profile::self_device_s},
  };
}

/// One operator, or one kernel of the GPU, over all profiled steps.
struct Operator {
  FixedText<256> name;
  FixedText<16> place;
  std::int64_t calls = 0;
  double self_cpu_s = 0;
  double cpu_total_s = 0;
  double self_device_s = 0;
  double device_total_s = 0;
  double flops = 0;
  double convolution_flops = 0;
  double bytes = 0;
  double work_s = 0;
};
constexpr auto fields_of(Tag<Operator>) {
  return FieldTable{
      Field{"name", "1", "Name: aten::addmm, Optimizer.step#AdamW.step, a kernel", &Operator::name},
      Field{"place", "1",
            "host: an operator; device: a kernel; annotation: a range of kernels that a user named",
            &Operator::place},
      Field{"calls", "1", "Calls in all profiled steps; 0: not known", &Operator::calls},
      Field{"self_cpu_s", "s", "Time on the host without the operators that it calls",
            &Operator::self_cpu_s},
      Field{"cpu_total_s", "s", "Time on the host with the operators that it calls",
            &Operator::cpu_total_s},
      Field{"self_device_s", "s", "Duration of the kernels that it starts itself",
            &Operator::self_device_s},
      Field{"device_total_s", "s", "The same with those of the operators that it calls",
            &Operator::device_total_s},
      Field{"flops", "FLOP", "Counted in one step, times the steps; 0: not counted",
            &Operator::flops},
      Field{"convolution_flops", "FLOP", "Part of flops in convolutions",
            &Operator::convolution_flops},
      Field{"bytes", "B",
            "Tensor bytes that it reads and writes, as if there were no cache, likewise; 0: not "
            "counted, or counted for the operators that it calls",
            &Operator::bytes},
      Field{"work_s", "s",
            "Time of the calls whose FLOP and bytes are counted here, with what they call; of "
            "kernels, where there is a GPU",
            &Operator::work_s},
  };
}

/// The calls of one operator that had inputs of the same shapes.
struct OperatorShape {
  FixedText<256> name;
  FixedText<256> shapes;
  std::int64_t calls = 0;
  double self_cpu_s = 0;
  double cpu_total_s = 0;
  double self_device_s = 0;
  double device_total_s = 0;
};
constexpr auto fields_of(Tag<OperatorShape>) {
  return FieldTable{
      Field{"name", "1", "Name of the operator", &OperatorShape::name},
      Field{"shapes", "1", "Shapes of its inputs: [[8, 3], [3]]", &OperatorShape::shapes},
      Field{"calls", "1", "Calls in all profiled steps", &OperatorShape::calls},
      Field{"self_cpu_s", "s", "As in operators", &OperatorShape::self_cpu_s},
      Field{"cpu_total_s", "s", "As in operators", &OperatorShape::cpu_total_s},
      Field{"self_device_s", "s", "As in operators", &OperatorShape::self_device_s},
      Field{"device_total_s", "s", "As in operators", &OperatorShape::device_total_s},
  };
}

}  // namespace epochcast::record
