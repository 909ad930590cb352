// The configuration of a run, as two structs with field tables. RunConfig is WHAT is computed; it
// determines the point id. RunOutput is where results are written; it does not. YAML keys, the
// trainer's options, the script's arguments and /parameters of the record are loops over the
// tables.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/fields.hpp"
#include "src/core/quantity.hpp"
#include "src/run/option_spec.hpp"
#include "src/run/parameter.hpp"

namespace epochcast::run {

struct RunConfig {
  std::string task = "train";
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
  std::string procedure = "fast";
  std::string device = "cpu";
  std::int64_t seed = 1;
  std::int64_t repeat = 0;
  std::int64_t max_iterations = 0;
  Seconds max_time = {};
  OptionValues model_options;      ///< `model.*`: declared by the model's own file.
  OptionValues dataset_options;    ///< `dataset.*`: declared by the data set's own file.
  OptionValues optimizer_options;  ///< `optimizer.*`: declared by the optimizer's own file.
  bool operator==(const RunConfig&) const = default;
};

/// What a parameter affects. Code that compares two runs selects parameters by role.
enum class ParameterRole {
  work,        ///< What is computed.
  update,      ///< How batches become weight updates; part of the step time.
  learning,    ///< How well the model learns; does not change the step time.
  evaluation,  ///< When the model is evaluated, and by which score.
  target,      ///< Ends training early when a quality is reached.
  length,      ///< Number of epochs or iterations.
  repeat,      ///< Distinguishes repeats of one point.
  place        ///< Device.
};

/// A field of RunConfig: a Field with its role.
template <class Value>
struct RunField : Field<RunConfig, Value> {
  ParameterRole role;

  constexpr RunField(ParameterRole its_role, std::string_view its_name, std::string_view its_unit,
                     std::string_view its_meaning, Value RunConfig::*its_member,
                     std::string_view its_allowed = {}, std::string_view its_old_name = {})
      : Field<RunConfig, Value>{its_name,   its_unit,    its_meaning,
                                its_member, its_allowed, its_old_name},
        role(its_role) {}
};

constexpr auto fields_of(Tag<RunConfig>) {
  return std::tuple{
      RunField{
          ParameterRole::work, "task", "1",
          "train: train the model; infer: forward pass only, over the held-out samples (or all "
          "samples if the data set holds none out)",
          &RunConfig::task, "train|infer"},
      RunField{ParameterRole::work, "model", "1", "Model; `epochcast-train list` prints all",
               &RunConfig::model},
      RunField{ParameterRole::work, "weights", "1",
               "Initial weights: a safetensors file or a Hugging Face model folder (empty: random)",
               &RunConfig::weights},
      RunField{ParameterRole::work, "dataset", "1", "Data set; `epochcast-train list` prints all",
               &RunConfig::dataset},
      RunField{ParameterRole::update, "optimizer", "1",
               "Optimizer (empty: the one the model was published with)", &RunConfig::optimizer},
      RunField{ParameterRole::work, "batch", "samples", "Batch size of each rank",
               &RunConfig::batch, ">=1"},
      RunField{ParameterRole::update, "last_batch", "1",
               "Incomplete last batch of an epoch: keep it or drop it", &RunConfig::last_batch,
               "keep|drop"},
      RunField{ParameterRole::update, "last_samples", "1",
               "If the number of samples is not divisible by the number of ranks: pad repeats the "
               "first samples, drop leaves out the last ones",
               &RunConfig::last_samples, "pad|drop"},
      RunField{ParameterRole::length, "epochs", "epochs", "Number of epochs", &RunConfig::epochs,
               ">=1"},
      RunField{ParameterRole::target, "target_accuracy", "1",
               "Stop training when the accuracy on held-out data reaches this value (0: train all "
               "epochs)",
               &RunConfig::target_accuracy, "0..1"},
      RunField{ParameterRole::target, "patience", "epochs",
               "Consecutive epochs that must reach target_accuracy", &RunConfig::patience, ">=1"},
      RunField{ParameterRole::learning, "warmup_epochs", "epochs",
               "Epochs over which the learning rate rises from its value divided by the number of "
               "ranks per node to its full value (0: no warm-up)",
               &RunConfig::warmup_epochs, ">=0"},
      RunField{ParameterRole::update, "accumulate", "batches",
               "Batches per weight update of a classifier; their gradients are averaged",
               &RunConfig::accumulate, ">=1"},
      RunField{ParameterRole::update, "last_update", "1",
               "Incomplete last update of an epoch (fewer than `accumulate` batches): keep it or "
               "drop it",
               &RunConfig::last_update, "keep|drop"},
      RunField{ParameterRole::update, "clip_norm", "1",
               "Maximum gradient norm of a classifier (0: no clipping)", &RunConfig::clip_norm,
               ">=0"},
      RunField{ParameterRole::learning, "schedule", "1",
               "Learning rate after the warm-up: constant, or linear decay to 0 at the end of the "
               "run",
               &RunConfig::schedule, "constant|linear"},
      RunField{
          ParameterRole::learning, "warmup_updates", "updates",
          "Updates over which the learning rate rises from 0 to its full value (0: no warm-up)",
          &RunConfig::warmup_updates, ">=0"},
      RunField{ParameterRole::evaluation, "evaluate_every", "updates",
               "Updates between evaluations within an epoch (0: evaluate only after each epoch)",
               &RunConfig::evaluate_every, ">=0"},
      RunField{
          ParameterRole::evaluation, "best_by", "1",
          "Score that selects the weights saved as best.safetensors, for example val_accuracy; "
          "for a loss, lower is better (empty: none)",
          &RunConfig::best_by},
      RunField{ParameterRole::work, "precision", "1",
               "Arithmetic of a classifier: fp32, or autocast to bf16 or fp16 with fp32 weights "
               "(fp16 scales the loss)",
               &RunConfig::precision, "fp32|bf16|fp16"},
      RunField{
          ParameterRole::work, "procedure", "1",
          "fast: the same numbers without the waste; lab: the published code's own order of work",
          &RunConfig::procedure, "fast|lab"},
      RunField{ParameterRole::place, "device", "1",
               "Device; cuda fails if no GPU is usable (no fallback to the CPU)",
               &RunConfig::device, "cpu|cuda"},
      RunField{ParameterRole::repeat, "seed", "1",
               "Random seed of weights, noise and sample order; repeat r uses seed + r",
               &RunConfig::seed},
      RunField{ParameterRole::repeat, "repeat", "1", "Number of this repeat of the point, from 0",
               &RunConfig::repeat, ">=0"},
      RunField{ParameterRole::length, "max_iterations", "iterations",
               "Stop after this number of iterations (0: no limit)", &RunConfig::max_iterations,
               ">=0"},
      RunField{ParameterRole::length, "max_time", "s", "Stop after this time (0s: no limit)",
               &RunConfig::max_time, ">=0"},
  };
}

struct RunOutput {
  std::string point;
  std::string experiment;
  std::string allocation;
  std::string records = "records";
  std::string work = "work";
  std::int64_t checkpoint_every = 1;
  std::int64_t sample_every = 1;
  bool resume = false;
  std::int64_t threads = 0;
  std::string on_bad_image = "skip";
  Seconds flush_interval = {2};
  Seconds rendezvous_time = {300};
};

constexpr auto fields_of(Tag<RunOutput>) {
  return std::tuple{
      Field{"point", "1", "Point id (empty: derived from the parameters)", &RunOutput::point},
      Field{"experiment", "1", "Name of the experiment", &RunOutput::experiment},
      Field{"allocation", "1", "Name of the allocation", &RunOutput::allocation},
      Field{"records", "1", "Folder for records", &RunOutput::records},
      Field{"work", "1", "Folder for checkpoints and sample images, one subfolder per point",
            &RunOutput::work},
      Field{"checkpoint_every", "epochs",
            "Epochs between checkpoints (0: only when the run stops early)",
            &RunOutput::checkpoint_every, ">=0"},
      Field{"sample_every", "epochs", "Epochs between sample images (0: none)",
            &RunOutput::sample_every, ">=0"},
      Field{"resume", "1", "Resume from the checkpoint of the point if there is one",
            &RunOutput::resume},
      Field{"threads", "1", "CPU threads (0: all CPUs of the allocation)", &RunOutput::threads,
            ">=0"},
      Field{"on_bad_image", "1",
            "Image that cannot be decoded: skip it and print its name, or "
            "refuse to run",
            &RunOutput::on_bad_image, "skip|refuse"},
      Field{"flush_interval", "s", "Time between flushes of the record", &RunOutput::flush_interval,
            ">0"},
      Field{"rendezvous_time", "s", "Timeout of the rendezvous of all ranks at the start",
            &RunOutput::rendezvous_time, ">0", "meeting_time"},
  };
}

/// A part of a run that declares options in its own file: `model.depth`.
struct OptionOwner {
  std::string_view prefix;  ///< "model."
  OptionValues RunConfig::*options;
};
inline constexpr std::array option_owners{OptionOwner{"model.", &RunConfig::model_options},
                                          OptionOwner{"dataset.", &RunConfig::dataset_options},
                                          OptionOwner{"optimizer.", &RunConfig::optimizer_options}};

/// The owner of the option `name` ("model.depth"); nullptr if `name` is not an owner's option.
const OptionOwner* owner_of_option(std::string_view name);

/// "model.", "dataset.", ...
std::vector<std::string> option_prefixes();

/// Names of all fields of RunConfig.
std::vector<std::string> run_config_names();

/// Names of the fields with one of these roles.
std::set<std::string, std::less<>> fields_of(std::initializer_list<ParameterRole> roles);

/// Sets one field by name: "batch", or "model.depth" and "dataset.path" for the options of an
/// owner. Throws Error that names the field, the value found and the value expected.
void set_field(RunConfig& config, std::string_view name, std::string_view text);

/// Every field in the order of the table; the options of an owner follow it.
Parameters to_parameters(const RunConfig& config);

/// The parameters that differ from the defaults of RunConfig. They make the trainer's arguments and
/// the identity of a point.
Parameters non_default_parameters(const RunConfig& config);

/// The inverse of to_parameters and of non_default_parameters.
RunConfig run_config_from(const Parameters& parameters);

}  // namespace epochcast::run
