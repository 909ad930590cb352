// The vocabulary of a run. Two structs and their field tables: RunConfig is WHAT is computed (it
// makes the point's identity), RunOutput is where the results go (it does not). YAML keys, the
// trainer's options, the sbatch script's arguments and the record's /parameters all follow from the
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
  std::string procedure = "optimized";
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

/// What a field of RunConfig is to whoever compares two runs.
enum class ParameterRole {
  work,        ///< What is computed.
  update,      ///< How a training makes updates of batches, which is part of a step's time.
  learning,    ///< How well a training learns: a step takes as long.
  evaluation,  ///< When and by what a training is evaluated between its steps.
  target,      ///< What ends a training before its length.
  length,      ///< How many passes, or what ends them.
  repeat,      ///< Which of several runs of the same.
  place        ///< Where it is computed.
};

/// A field of RunConfig: a Field with its concern.
template <class Value>
struct RunField : Field<RunConfig, Value> {
  ParameterRole concern;

  constexpr RunField(ParameterRole what, std::string_view its_name, std::string_view its_unit,
                     std::string_view says, Value RunConfig::*its_member,
                     std::string_view may_be = {})
      : Field<RunConfig, Value>{its_name, its_unit, says, its_member, may_be}, concern(what) {}
};

constexpr auto fields_of(Tag<RunConfig>) {
  return std::tuple{
      RunField{
          ParameterRole::work, "task", "1",
          "train; or infer: forward only, over the held-out samples, where there are none over all",
          &RunConfig::task, "train|infer"},
      RunField{ParameterRole::work, "model", "1", "Network to train: a file of src/torch/models",
               &RunConfig::model},
      RunField{
          ParameterRole::work, "weights", "1",
          "Weights to begin with: a safetensors file, or a folder as a hub lays it out (empty: "
          "random ones)",
          &RunConfig::weights},
      RunField{ParameterRole::work, "dataset", "1",
               "Data to train on, or to answer: a file of src/torch/datasets", &RunConfig::dataset},
      RunField{ParameterRole::update, "optimizer", "1",
               "Update rule: a file of src/torch/optimizers (empty: the one the model was "
               "published with)",
               &RunConfig::optimizer},
      RunField{ParameterRole::work, "batch", "samples", "Samples that each rank takes in one step",
               &RunConfig::batch, ">=1"},
      RunField{ParameterRole::update, "last_batch", "1",
               "A smaller batch at the end of a pass: keep it, or drop its samples",
               &RunConfig::last_batch, "keep|drop"},
      RunField{ParameterRole::update, "last_samples", "1",
               "Where the ranks of a training do not divide the samples: pad repeats the first of "
               "them until they do, drop leaves out the last",
               &RunConfig::last_samples, "pad|drop"},
      RunField{ParameterRole::length, "epochs", "epochs", "Passes over the data set",
               &RunConfig::epochs, ">=1"},
      RunField{
          ParameterRole::target, "target_accuracy", "1",
          "End once so much of the held-out data is classified correctly (0: train all epochs)",
          &RunConfig::target_accuracy, "0..1"},
      RunField{ParameterRole::target, "patience", "epochs",
               "Epochs in a row that must reach target_accuracy", &RunConfig::patience, ">=1"},
      RunField{
          ParameterRole::learning, "warmup_epochs", "epochs",
          "Epochs in which the learning rate rises to its full value, from one part in as many as "
          "processes train on a node",
          &RunConfig::warmup_epochs, ">=0"},
      RunField{ParameterRole::update, "accumulate", "batches",
               "Batches whose gradients, averaged, make one update of a classifier's weights",
               &RunConfig::accumulate, ">=1"},
      RunField{ParameterRole::update, "last_update", "1",
               "An update of fewer batches at the end of a pass: keep it, or drop its batches",
               &RunConfig::last_update, "keep|drop"},
      RunField{ParameterRole::update, "clip_norm", "1",
               "Longest gradient of a classifier: a longer one is shortened to it (0: none is)",
               &RunConfig::clip_norm, ">=0"},
      RunField{
          ParameterRole::learning, "schedule", "1",
          "Learning rate over the updates of the run, behind its warm-up: constant, or linear, "
          "which falls to 0 at the end",
          &RunConfig::schedule, "constant|linear"},
      RunField{
          ParameterRole::learning, "warmup_updates", "updates",
          "First updates of the run, in which the learning rate rises from 0 to its full value",
          &RunConfig::warmup_updates, ">=0"},
      RunField{ParameterRole::evaluation, "evaluate_every", "updates",
               "Updates between two evaluations within an epoch (0: only behind each epoch)",
               &RunConfig::evaluate_every, ">=0"},
      RunField{
          ParameterRole::evaluation, "best_by", "1",
          "Score whose best evaluation leaves its weights as best.safetensors, as val_accuracy; of "
          "a loss the lowest is the best (empty: none)",
          &RunConfig::best_by},
      RunField{
          ParameterRole::work, "precision", "1",
          "Arithmetic of a classifier's products: fp32; bf16 or fp16 by autocast, weights staying "
          "fp32, fp16 with a scale of the loss",
          &RunConfig::precision, "fp32|bf16|fp16"},
      RunField{ParameterRole::work, "procedure", "1",
               "optimized: the same numbers in less time; reference: the order of work of the "
               "published code",
               &RunConfig::procedure, "optimized|reference"},
      RunField{ParameterRole::place, "device", "1",
               "Where to compute; cuda fails where no GPU works, it never falls back",
               &RunConfig::device, "cpu|cuda"},
      RunField{ParameterRole::repeat, "seed", "1",
               "Seed of weights, noise and order of the data; repeat r uses seed + r",
               &RunConfig::seed},
      RunField{ParameterRole::repeat, "repeat", "1",
               "Which repeat of the same point this is, from 0", &RunConfig::repeat, ">=0"},
      RunField{ParameterRole::length, "max_iterations", "iterations",
               "End cleanly after so many iterations (0: no limit)", &RunConfig::max_iterations,
               ">=0"},
      RunField{ParameterRole::length, "max_time", "s", "End cleanly after so long (0s: no limit)",
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
      Field{"point", "1", "Id of the point (empty: made from the parameters)", &RunOutput::point},
      Field{"experiment", "1", "Name of the experiment the point belongs to",
            &RunOutput::experiment},
      Field{"allocation", "1", "Name of the allocation the point runs on", &RunOutput::allocation},
      Field{"records", "1", "Folder of the records", &RunOutput::records},
      Field{"work", "1", "Folder of checkpoints and sample pictures, one subfolder a point",
            &RunOutput::work},
      Field{"checkpoint-every", "epochs", "Epochs between checkpoints (0: only when stopped early)",
            &RunOutput::checkpoint_every, ">=0"},
      Field{"sample-every", "epochs", "Epochs between sample pictures (0: none)",
            &RunOutput::sample_every, ">=0"},
      Field{"resume", "1", "Go on from the point's checkpoint if there is one", &RunOutput::resume},
      Field{"threads", "1", "CPU threads (0: what the allocation gave)", &RunOutput::threads,
            ">=0"},
      Field{"on-bad-image", "1",
            "skip: leave out an image that cannot be read and report it; refuse: stop",
            &RunOutput::on_bad_image, "skip|refuse"},
      Field{"flush-interval", "s", "Time between two flushes of the record",
            &RunOutput::flush_interval, ">0"},
      Field{"rendezvous-time", "s", "How long the ranks of a run wait for each other at its start",
            &RunOutput::rendezvous_time, ">0"},
  };
}

/// A part of a run that declares options of its own, in its own file: `model.depth`.
struct OptionOwner {
  std::string_view prefix;  ///< "model."
  OptionValues RunConfig::*options;
};
inline constexpr std::array option_owners{OptionOwner{"model.", &RunConfig::model_options},
                                          OptionOwner{"dataset.", &RunConfig::dataset_options},
                                          OptionOwner{"optimizer.", &RunConfig::optimizer_options}};

/// The owner of the option `name` ("model.depth"); nullptr where that is not the name of one.
const OptionOwner* owner_of_option(std::string_view name);

/// "model.", "dataset.", ...
std::vector<std::string> option_prefixes();

/// Names of all fields of RunConfig.
std::vector<std::string> run_config_names();

/// Names of those of any of these concerns.
std::set<std::string, std::less<>> fields_of(std::initializer_list<ParameterRole> concerns);

/// Sets one field by name: "batch", or "model.depth" and "dataset.path" for the options of an
/// owner. Throws Error naming the field, what was found and what was expected.
void set_field(RunConfig& config, std::string_view name, std::string_view text);

/// Every field in the order of the table, options behind their owner.
Parameters to_parameters(const RunConfig& config);

/// Those that differ from the defaults of RunConfig: they make the arguments and the identity of a
/// point.
Parameters non_default_parameters(const RunConfig& config);

/// The inverse of to_parameters, also of non_default_parameters.
RunConfig run_config_from(const Parameters& parameters);

}  // namespace epochcast::run
