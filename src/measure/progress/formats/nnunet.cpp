// nnU-Net's trainer, version 2:
//   Epoch 0        Current learning rate: 0.01        train_loss -0.1        val_loss -0.2
//   Epoch time: 148.2 s
// and version 1, whose losses stand where the training and the validation end:
//   epoch:  0        train loss : -0.3        validation loss: -0.2        This epoch took 148.2 s
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec nnunet() {
  return pattern_format(
      {.summary = "nnU-Net's lines: 'Epoch 0', 'train_loss -0.1', 'Epoch time: 148.2 s'",
       .rules = {{.says = Says::begin,
                  .needs = "poch",
                  .pattern = R"(^\s*(?:Epoch|epoch: ) ?(?<epoch>\d+)\s*$)",
                  .evidence = 0},
                 {.says = Says::end,
                  .needs = "poch t",
                  .pattern = R"(^\s*Epoch time: (?<duration>[\d.]+ s)\b)"},
                 {.says = Says::duration,
                  .needs = "This epoch took",
                  .pattern = R"(^\s*This epoch took (?<duration>[\d.]+ s)\b)"},
                 {.says = Says::step,
                  .needs = "loss",
                  .pattern = R"(^\s*(?<values>(?:train_loss|val_loss) -?[\d.]+)\s*$)",
                  .evidence = 0.25,
                  .bare = true},
                 {.says = Says::end,
                  .needs = "train loss",
                  .pattern = R"(^\s*(?<values>train loss : -?[\d.]+)\s*$)",
                  .evidence = 0.25},
                 {.says = Says::evaluated,
                  .needs = "validation loss",
                  .pattern = R"(^\s*(?<values>validation loss ?: -?[\d.]+)\s*$)",
                  .evidence = 0.25}},
       .hints = {"Epoch ", "epoch: ", "Epoch time", "This epoch took", "train_loss", "val_loss",
                 "train loss", "validation loss"}});
}

}  // namespace epochcast::progress::formats
