// Megatron-LM's lines (megatron/training/training.py, training_log), and NeMo's of the same kind
// (ProgressPrinter). Megatron has no epochs: its run counts as one.
//   seq_length ...................................... 4096
//   iteration       10/     100 | consumed samples:   80 | elapsed time per iteration (ms): 312.5 |
//   learning rate: 1.5E-04 | global batch size:     8 | lm loss: 1.0E+01 | ...
//   validation loss at iteration 10 | lm loss value: 9.5E+00 | lm loss PPL: 1.3E+04 |
//   Training epoch 0, iteration 3/99 | lr: 1.2e-06 | global_batch_size: 8 |
//   reduced_train_loss: 10.9
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec megatron() {
  const std::string cell = R"((?<name>[^|:]+(?::[^|:]+)*): *(?<value>[^|: ]+) *(?:\||$))";
  return pattern_format(
      {.summary = "Megatron-LM's and NeMo's lines: iteration 10/100 | consumed samples: ...",
       .rules =
           {{.says = Says::evaluated,
             .needs = "lm loss value",
             .pattern = R"(validation loss at iteration [^|]*\|(?<values>.*))",
             .evidence = 0,
             .prefix = "val_",
             .value = cell},
            {.says = Says::step,
             .needs = "Training epoch ",
             .pattern =
                 R"(Training epoch (?<epoch>\d+), iteration (?<step>\d+)/(?<steps>\d+) \|(?:(?=.*train_step_timing in s: (?<step_time>[\d.]+))|)(?:(?=.*global_batch_size: *(?<samples>\d+))|)(?<values>.*))",
             .first_step = 0,
             .value = cell,
             .steps_from_zero = true},
            {.says = Says::step_of_one_epoch,
             .needs = "| consumed samples",
             .pattern =
                 R"(iteration +(?<step>\d+)/ *(?<steps>\d+) \|(?:(?=.*time per iteration \(ms\): (?<step_ms>[\d.]+))|)(?:(?=.*global batch size: *(?<samples>\d+))|)(?<values>.*))",
             .first_step = 1,
             .value = cell},
            {.says = Says::facts,
             .needs = "  seq_length ..",
             .pattern = R"(^  seq_length \.+ (?<sequence_length>\d+)$)"}},
       .not_metrics = {"elapsed_time_per_iteration_(ms)", "consumed_samples", "global_batch_size",
                       "train_step_timing_in_s", "global_step"}});
}

}  // namespace epochcast::progress::formats
