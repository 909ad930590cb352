// The configuration of a run. Two structs and their field tables: RunConfig is WHAT is computed (it
// identifies the point), RunOutput is where the results go (it does not). YAML keys, the trainer's
// options, the sbatch script's arguments and the record's /parameters all follow from the tables.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/config/option_spec.hpp"
#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"
#include "src/record/run/parameter.hpp"
#include "src/record/run/task.hpp"

namespace epochcast::run {

struct RunConfig {
  Task task = Task::train;
  std::string model = "dcgan";
  std::string dataset = "images";
  std::string weights;
  std::string optimizer;
  std::int64_t batch = 256;
  std::string last_batch = "keep";
  std::string last_samples = "pad";
  std::int64_t epochs = 1;
  double target_accuracy = 0;
  std::int64_t patience = 2;
  std::int64_t warmup_epochs = 0;
  std::int64_t accumulate = 1;
  std::string last_update = "keep";
  double clip_norm = 0;
  std::string schedule = "constant";
  std::int64_t warmup_updates = 0;
  std::int64_t evaluate_every = 0;
  std::string best_by;
  std::string precision = "fp32";
  std::string procedure = "optimized";
  std::string kernels = "measured";
  bool cuda_graphs = true;
  bool deterministic = false;
  std::string device = "cpu";
  std::int64_t seed = 1;
  std::int64_t repeat = 0;
  std::int64_t max_iterations = 0;
  Seconds max_time = {};
  std::int64_t profile = 0;
  bool profile_start = false;
  bool profile_shapes = false;
  bool profile_flops = false;
  std::string profile_trace;
  std::int64_t checkpoint_every = 1;
  OptionValues model_options;      ///< `model.*`: declared by the model's own file.
  OptionValues dataset_options;    ///< `dataset.*`: declared by the data set's own file.
  OptionValues optimizer_options;  ///< `optimizer.*`: declared by the optimizer's own file.
  OptionValues serve_options;      ///< `serve.*`: the fields of ServeOptions; of task serve.
  OptionValues load_options;       ///< `load.*`: the fields of LoadOptions; of task serve.
  OptionValues stream_options;     ///< `stream.*`: those of ProduceOptions and ConsumeOptions.
  bool operator==(const RunConfig&) const = default;
};

/// What a field of RunConfig means when two runs are compared.
enum class ParameterRole {
  work,        ///< What is computed.
  update,      ///< How a training turns batches into updates; this is part of a step's time.
  learning,    ///< How well a training learns; does not change the time of a step.
  evaluation,  ///< When and with what a training is evaluated between its steps.
  target,      ///< What ends a training before its full length.
  length,      ///< Number of epochs, and the limits that end a run early.
  repeat,      ///< Distinguishes several runs of the same workload.
  place,       ///< Where it is computed.
  /// What is recorded or saved beside the times that are compared; a profiled run is tainted by it.
  observation
};

/// A field of RunConfig: a Field with its role.
template <class Value>
struct RunField : Field<RunConfig, Value> {
  ParameterRole role;

  constexpr RunField(ParameterRole its_role, std::string_view its_name, std::string_view its_unit,
                     std::string_view its_meaning, Value RunConfig::*its_member,
                     std::string_view its_allowed = {}, std::string_view its_old_values = {})
      : Field<RunConfig, Value>{its_name,    its_unit, its_meaning,   its_member,
                                its_allowed, {},       its_old_values},
        role(its_role) {}
};

constexpr auto fields_of(Tag<RunConfig>) {  // NOLINT(readability-function-size): a table
  using enum ParameterRole;
  return FieldTable{
      RunField{
          work, "task", "1",
          "train; infer: forward passes over the held-out samples (over all samples if none are "
          "held out); serve: a service under load; stream: a stream of batches from a producer",
          &RunConfig::task, "train|infer|serve|stream"},
      RunField{work, "model", "1", "Network: a file of src/training/torch/models",
               &RunConfig::model},
      RunField{work, "weights", "1",
               "Initial weights: a file of safetensors or torch.save, or a model folder of the "
               "Hugging Face hub "
               "(empty: random weights)",
               &RunConfig::weights, "path"},
      RunField{work, "dataset", "1", "Data: a file of src/training/torch/datasets",
               &RunConfig::dataset},
      RunField{update, "optimizer", "1",
               "Update rule: a file of src/training/torch/optimizers (empty: the one the model was "
               "published with)",
               &RunConfig::optimizer},
      RunField{work, "batch", "samples", "Batch size of each rank", &RunConfig::batch, ">=1"},
      RunField{update, "last_batch", "1",
               "A smaller batch at the end of an epoch: keep it, or drop its samples",
               &RunConfig::last_batch, "keep|drop"},
      RunField{update, "last_samples", "1",
               "If the ranks do not divide the samples evenly: pad repeats the first samples until "
               "they do, drop leaves out the last ones",
               &RunConfig::last_samples, "pad|drop"},
      RunField{length, "epochs", "epochs", "Epochs", &RunConfig::epochs, ">=1"},
      RunField{target, "target_accuracy", "1",
               "Stop when this share of the held-out samples is classified correctly (0: train all "
               "epochs)",
               &RunConfig::target_accuracy, "0..1"},
      RunField{target, "patience", "epochs",
               "Number of consecutive epochs that must reach target_accuracy", &RunConfig::patience,
               ">=1"},
      RunField{learning, "warmup_epochs", "epochs",
               "Epochs in which the learning rate rises to its full value. It starts at the full "
               "value divided by the number of processes per node",
               &RunConfig::warmup_epochs, ">=0"},
      RunField{update, "accumulate", "batches",
               "Batches per update of a classifier's weights; their gradients are averaged",
               &RunConfig::accumulate, ">=1"},
      RunField{update, "last_update", "1",
               "An update of fewer batches at the end of an epoch: keep it, or drop its batches",
               &RunConfig::last_update, "keep|drop"},
      RunField{update, "clip_norm", "1", "Maximum gradient norm of a classifier (0: no clipping)",
               &RunConfig::clip_norm, ">=0"},
      RunField{learning, "schedule", "1",
               "Learning rate after the warm-up: constant, or linear (falls to 0 at the end of the "
               "run)",
               &RunConfig::schedule, "constant|linear"},
      RunField{learning, "warmup_updates", "updates",
               "Updates in which the learning rate rises from 0 to its full value",
               &RunConfig::warmup_updates, ">=0"},
      RunField{evaluation, "evaluate_every", "updates",
               "Updates between evaluations within an epoch (0: evaluate only after each epoch)",
               &RunConfig::evaluate_every, ">=0"},
      RunField{
          evaluation, "best_by", "1",
          "Score that selects the weights saved as best.safetensors, for example val_accuracy. "
          "For a loss the lowest value is best (empty: save none)",
          &RunConfig::best_by},
      RunField{work, "precision", "1",
               "Arithmetic of a classifier: fp32; bf16 or fp16 by autocast with fp32 weights (fp16 "
               "scales the loss)",
               &RunConfig::precision, "fp32|bf16|fp16"},
      RunField{work, "procedure", "1",
               "reference: the published code's own sequence of operations; optimized: the same "
               "results to rounding, faster",
               &RunConfig::procedure, "optimized|reference", "fast=optimized|lab=reference"},
      RunField{
          place, "kernels", "1",
          "Large products of the optimized procedure on a CPU. measured: by the algorithm that "
          "is faster on this machine, measured once for each size and kept in "
          "$XDG_CACHE_HOME/epochcast or ~/.cache/epochcast (a GPU's convolutions: by cuDNN, in "
          "each run); default: the same on all machines",
          &RunConfig::kernels, "measured|default"},
      RunField{place, "cuda_graphs", "1",
               "Launch each whole step of the optimized procedure on one GPU as a CUDA graph; not "
               "with profile, or a training with fp16 or accumulate",
               &RunConfig::cuda_graphs},
      RunField{work, "deterministic", "1",
               "Compute with kernels that give the same bits in every run, though they may be "
               "slower; a warning and a note of the record name each operator that has none",
               &RunConfig::deterministic},
      RunField{place, "device", "1",
               "Device. cuda fails if no GPU works; there is no fallback to the CPU",
               &RunConfig::device, "cpu|cuda"},
      RunField{repeat, "seed", "1",
               "Seed of weights, noise and order of the data; repeat r uses seed + r",
               &RunConfig::seed},
      RunField{repeat, "repeat", "1", "Number of this repeat of the same point, from 0",
               &RunConfig::repeat, ">=0"},
      RunField{length, "max_iterations", "iterations",
               "Stop after this many iterations and save a checkpoint (0: no limit)",
               &RunConfig::max_iterations, ">=0"},
      RunField{length, "max_time", "s", "Stop after this time and save a checkpoint (0s: no limit)",
               &RunConfig::max_time, ">=0"},
      RunField{observation, "profile", "iterations",
               "Steps to profile by operator, after the first 5 steps of the run, on rank 0. They "
               "take longer, so the record is tainted (0: none)",
               &RunConfig::profile, ">=0"},
      RunField{observation, "profile_start", "1",
               "Profile the first steps instead, with what precedes them: the network is made, its "
               "weights are loaded and moved to the device, and the batches are loaded",
               &RunConfig::profile_start},
      RunField{observation, "profile_shapes", "1",
               "The profile also has a row for each set of shapes of an operator's inputs",
               &RunConfig::profile_shapes},
      RunField{observation, "profile_flops", "1",
               "After the profiled steps, count the FLOP and bytes of each operator in one more "
               "step",
               &RunConfig::profile_flops},
      RunField{
          observation, "profile_trace", "1",
          "File for a trace of the profiled steps, which chrome://tracing and Perfetto open; a "
          "relative path is in the folder of the point below work (empty: none)",
          &RunConfig::profile_trace},
      RunField{observation, "checkpoint_every", "epochs",
               "Epochs between checkpoints (0: only if the run stops early)",
               &RunConfig::checkpoint_every, ">=0"},
  };
}

struct RunOutput {
  std::string point;
  std::string experiment;
  std::string allocation;
  std::string records = "records";
  std::string work = "work";
  std::int64_t sample_every = 1;
  bool resume = false;
  std::int64_t threads = 0;
  std::string on_bad_image = "skip";
  Seconds flush_interval = {2};
  Seconds telemetry = {1};
  Seconds rendezvous_timeout = {300};
};

constexpr auto fields_of(Tag<RunOutput>) {
  return FieldTable{
      Field{"point", "1", "Name of the point (empty: made from the parameters)", &RunOutput::point},
      Field{"experiment", "1", "Name of the experiment that the point belongs to",
            &RunOutput::experiment},
      Field{"allocation", "1", "Name of the allocation that the point runs on",
            &RunOutput::allocation},
      Field{"records", "1", "Folder of the records", &RunOutput::records},
      Field{"work", "1", "Folder of checkpoints and sample images, one subfolder per point",
            &RunOutput::work},
      Field{"sample-every", "epochs", "Epochs between sample images (0: none)",
            &RunOutput::sample_every, ">=0"},
      Field{"resume", "1", "Resume from the point's checkpoint if there is one",
            &RunOutput::resume},
      Field{"threads", "1", "CPU threads (0: the CPUs of the allocation)", &RunOutput::threads,
            ">=0"},
      Field{"on-bad-image", "1",
            "An image that cannot be read: skip leaves it out and prints its name, refuse stops",
            &RunOutput::on_bad_image, "skip|refuse"},
      Field{"flush-interval", "s", "Time between two flushes of the record",
            &RunOutput::flush_interval, ">0"},
      Field{"telemetry", "s",
            "Time between two samples of what the machine does: CPUs, memory, disks, energy, GPU "
            "(0s: none)",
            &RunOutput::telemetry, ">=0"},
      Field{"rendezvous-timeout", "s", "Time that the ranks of a run wait for each other at start",
            &RunOutput::rendezvous_timeout, ">0"},
  };
}

/// A part of a run with options of its own: those that a model, a data set or an optimizer declares
/// in its file (`model.depth`), or those of a task, which have a field table (`serve.batch`).
struct OptionOwner {
  std::string_view prefix;  ///< "model."
  OptionValues RunConfig::*options;
  std::optional<Task> task = {};  ///< The only task that has them; nothing: every task.
};
inline constexpr std::array option_owners{
    OptionOwner{"model.", &RunConfig::model_options},
    OptionOwner{"dataset.", &RunConfig::dataset_options},
    OptionOwner{"optimizer.", &RunConfig::optimizer_options},
    OptionOwner{"serve.", &RunConfig::serve_options, Task::serve},
    OptionOwner{"load.", &RunConfig::load_options, Task::serve},
    OptionOwner{"stream.", &RunConfig::stream_options, Task::stream}};

/// The owner of the option `name` ("model.depth"); nullptr if it is not the name of one.
const OptionOwner* owner_of_option(std::string_view name);

/// "model.", "dataset.", ...
std::vector<std::string> option_prefixes();

/// Names of all fields of RunConfig.
std::vector<std::string> run_config_names();

/// Names of the fields that have one of these roles.
std::set<std::string, std::less<>> names_of_roles(std::initializer_list<ParameterRole> roles);

/// `text` in its current spelling, if `name` is a field of RunConfig with renamed values.
std::string current_text(std::string_view name, std::string_view text);

/// The names of the options of a task's owner ("serve."); empty for the others, whose options are
/// declared elsewhere.
std::vector<std::string> names_of_task_options(const OptionOwner& owner);

/// Throws Error "serve.batch: is an option of task serve, found task train" for the first option
/// that the task of `config` does not have.
void require_options_of_task(const RunConfig& config);

/// Sets one field by name: "batch", or "model.depth" and "dataset.path" for the options of an
/// owner. Throws Error that names the field, the value found and the value expected; options that a
/// model, a data set or an optimizer declares are not checked here.
void set_field(RunConfig& config, std::string_view name, std::string_view text);

/// Every field in the order of the table; options follow their owner.
Parameters to_parameters(const RunConfig& config);

/// The parameters that differ from the defaults of RunConfig: the arguments and the identity of a
/// point.
Parameters non_default_parameters(const RunConfig& config);

/// The inverse of to_parameters and of non_default_parameters.
RunConfig run_config_from(const Parameters& parameters);

}  // namespace epochcast::run
