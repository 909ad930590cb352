// The names under which programs state when they evaluate and save, and how they divide a large
// model: as parameters of a run, or in a configuration that they print.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace epochcast::run {

enum class Stated {
  eval_every,  ///< Work between two evaluations,
  eval_from,   ///< and before the first.
  checkpoint_every,
  tensor_parallel,  ///< From here on a layout.
  pipeline_parallel,
  data_parallel,
  micro_batch,
};

/// What the number counts.
enum class StatedUnit {
  plain,  ///< What the length of the run counts; of a layout: itself.
  samples,
  steps,  ///< Below 1: a part of the run.
  steps_or_part_of_epoch,
  epochs,
  epochs_from_0,  ///< The number of the epoch after which it comes.
  times_an_epoch,
};

struct StatedName {
  std::string_view name;
  Stated what;
  StatedUnit unit = StatedUnit::plain;
  /// Names that switch this one off where their value is not "steps"; by '|'.
  std::string_view strategy = {};
  bool printed = true;  ///< Printed lines are read for it; else it is too common a word.
};

/// Those of one kind by precedence. A program may write them with '-', or in capitals.
inline constexpr auto stated_names = [] {
  using enum Stated;
  using enum StatedUnit;
  return std::array{
      StatedName{"eval_every", eval_every},  // experiments; MLPerf's language models: samples
      StatedName{"eval_from", eval_from}, StatedName{"checkpoint_every", checkpoint_every},
      // MLPerf: unet3d, and MXNet's resnet
      StatedName{"evaluate_every", eval_every, epochs},
      StatedName{"start_eval_at", eval_from, epochs}, StatedName{"eval_period", eval_every, epochs},
      StatedName{"eval_offset", eval_from, epochs_from_0},
      // Megatron, GPT-NeoX, nanoGPT
      StatedName{"eval_interval", eval_every, steps},
      StatedName{"save_interval", checkpoint_every, steps},
      StatedName{"checkpoint_interval", checkpoint_every, steps},
      // Hugging Face, axolotl
      StatedName{"eval_steps", eval_every, steps, "eval_strategy|evaluation_strategy"},
      StatedName{"save_steps", checkpoint_every, steps, "save_strategy"},
      StatedName{"evals_per_epoch", eval_every, times_an_epoch},
      StatedName{"saves_per_epoch", checkpoint_every, times_an_epoch},
      // torchtune
      StatedName{"run_val_every_n_steps", eval_every, steps},
      StatedName{"save_every_n_steps", checkpoint_every, steps},
      // Lightning, NeMo
      StatedName{"val_check_interval", eval_every, steps_or_part_of_epoch},
      StatedName{"every_n_train_steps", checkpoint_every, steps},

      StatedName{"tensor_parallel", tensor_parallel, plain, {}, false},
      StatedName{"tensor_model_parallel_size", tensor_parallel},  // Megatron, NeMo
      StatedName{"tensor_parallel_size", tensor_parallel},
      StatedName{"tensor_parallel_degree", tensor_parallel},  // torchtitan
      StatedName{"model_parallel_size", tensor_parallel},     // GPT-NeoX
      StatedName{"pipeline_parallel", pipeline_parallel, plain, {}, false},
      StatedName{"pipeline_model_parallel_size", pipeline_parallel},
      StatedName{"pipeline_parallel_size", pipeline_parallel},
      StatedName{"pipeline_parallel_degree", pipeline_parallel},
      StatedName{"pipe_parallel_size", pipeline_parallel},
      StatedName{"data_parallel", data_parallel, plain, {}, false},
      StatedName{"data_parallel_size", data_parallel},
      StatedName{"micro_batch", micro_batch, plain, {}, false},
      StatedName{"micro_batch_size", micro_batch},
      StatedName{"train_micro_batch_size_per_gpu", micro_batch}};  // DeepSpeed
}();

/// Nothing for a name that is none of them.
constexpr std::optional<Stated> what_is(std::string_view name) {
  for (const auto& row : stated_names) {
    if (row.name == name) {
      return row.what;
    }
  }
  return std::nullopt;
}

}  // namespace epochcast::run
