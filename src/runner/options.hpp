// The options of epochcast-run that concern the program, not the record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::runner {

struct RunnerOptions {
  std::string terminal = "auto";
  std::string progress = "auto";
  std::string pattern;
  std::string events = "auto";
  bool hook = false;
  std::string metrics;
  std::string eta = "auto";
  std::string folder;
  std::int64_t pilot_epochs = 0;
  Seconds pilot_time = {};
  std::string checkpoint_signal;
  Seconds checkpoint_lead = {};      ///< 0: run::checkpoint_lead_s decides.
  std::string resumed_from;          ///< The checkpoint that the command goes on from.
  std::vector<std::string> inputs;   ///< --input, repeated.
  std::vector<std::string> outputs;  ///< --output, repeated.
};
constexpr auto fields_of(Tag<RunnerOptions>) {
  return FieldTable{
      Field{"terminal", "1",
            "What the command's output is for it: auto, a terminal where it is one here; pty, a "
            "terminal, for bars that are not shown elsewhere; pipe, none",
            &RunnerOptions::terminal, "auto|pty|pipe"},
      Field{"progress", "1", "Format of the command's progress (auto: detected, none: not read)",
            &RunnerOptions::progress},
      Field{"pattern", "1",
            "Regular expression of a line of progress, with named groups: epoch, step, steps, "
            "samples, seconds, or any metric",
            &RunnerOptions::pattern},
      Field{"events", "1",
            "Whether the command may report its progress itself: auto sets EPOCHCAST_EVENTS to a "
            "file in its work folder",
            &RunnerOptions::events, "auto|none"},
      Field{"hook", "1",
            "Whether a Python command, which is not changed, is asked for its epochs: PyTorch, "
            "Lightning, Hugging Face's Trainer, Keras, XGBoost, LightGBM, CatBoost, "
            "Stable-Baselines3",
            &RunnerOptions::hook},
      Field{"metrics", "1",
            "File or folder with metrics that the command writes: TensorBoard's event files, a CSV "
            "with a column 'epoch', trainer_state.json (relative to --folder)",
            &RunnerOptions::metrics},
      Field{"eta", "1", "Whether to tell when the command will be done", &RunnerOptions::eta,
            "auto|none"},
      Field{"folder", "1", "Folder that the command starts in (empty: this one)",
            &RunnerOptions::folder},
      Field{"pilot_epochs", "epochs", "Stop the command after so many epochs (0: do not)",
            &RunnerOptions::pilot_epochs, ">=0"},
      Field{"pilot_time", "s", "Stop the command after this time (0s: do not)",
            &RunnerOptions::pilot_time, ">=0"},
      Field{"checkpoint_signal", "1",
            "Signal that is sent to the command before the time limit of the job, as USR1",
            &RunnerOptions::checkpoint_signal},
      Field{
          "checkpoint_lead", "s",
          "How long before the limit (0s: 2 minutes, or a quarter of a job that is shorter than 8)",
          &RunnerOptions::checkpoint_lead, ">=0"},
      Field{"resumed_from", "1",
            "The checkpoint that the command goes on from, for the record (empty: it starts anew)",
            &RunnerOptions::resumed_from},
  };
}

}  // namespace epochcast::runner
