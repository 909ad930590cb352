// The scripts of github.com/pytorch/examples, and the many that began as a copy of them:
//   Train Epoch: 1 [640/60000 (1%)]	Loss: 1.234567
//   Test set: Average loss: 0.0284, Accuracy: 9905/10000 (99%)
//   ====> Epoch: 1 Average loss: 164.1
//   ====> Test set loss: 127.3
//   | epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch 15.59 | loss  7.63 | ppl  2064.78
//   | end of epoch   1 | time: 47.62s | valid loss  5.67 | valid ppl   290.04
//   [0/5][50/1583]	Loss_D: 0.5125	Loss_G: 5.2115	D(x): 0.8631	D(G(z)): 0.2604 / 0.0078
// and of the CIFAR-10 tutorial:
//   [1,  2000] loss: 2.173
//   Finished Training
// The first counts samples; a test follows the epoch.
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec pytorch_examples() {
  const std::string cell = R"((?<name>[^|]*[^| ]) +(?<value>[^ |]+?)s? *(?:\||$))";
  return pattern_format(
      {.summary = "pytorch/examples and their copies: 'Train Epoch: 1 [640/60000 (1%)]'",
       .rules =
           {{.says = Says::step,
             .needs = "Train Epoch: ",
             .pattern =
                 R"(Train Epoch: *(?<epoch>\d+) \[ *(?<part>\d+/\d+) \(.*?%\)\](?<values>.*))",
             .first_epoch = LineRule::unknown,
             .running = true},
            {.says = Says::evaluated,
             .needs = "====> Test set",
             .pattern = R"(====> Test set loss: (?<test_loss>[-\d.]+))"},
            {.says = Says::end,
             .needs = "Test set",
             .pattern =
                 R"((?:Test set: )(?:.*?loss: (?<test_loss>[-\d.]+))?(?:.*?Accuracy: (?<test_accuracy>\d+/\d+))?)"},
            {.says = Says::end,
             .needs = "====> Epoch: ",
             .pattern = R"(====> Epoch: *(?<epoch>\d+) .*?loss: (?<loss>[-+\deE.]+))",
             .first_epoch = LineRule::unknown,
             .evidence = 0.25},
            {.says = Says::step,
             .needs = "| epoch",
             .pattern =
                 R"(\| epoch +(?<epoch>\d+) \| *(?<step>\d+)/ *(?<steps>\d+) batches \|(?<values>(?:.*? ms/batch +(?<step_ms>[\d.]+))?.*))",
             .first_epoch = LineRule::unknown,
             .first_step = 1,
             .evidence = 0.34,
             .value = cell},
            {.says = Says::end_of_both,
             .needs = "| end of epoch",
             .pattern =
                 R"(\| end of epoch +(?<epoch>\d+) \| time: *(?<duration>[\d.]+)s \|(?<values>.*))",
             .first_epoch = LineRule::unknown,
             .evidence = 1,
             .value = cell},
            {.says = Says::end,
             .needs = "| end of epoch",
             .pattern =
                 R"(\| end of epoch +(?<epoch>\d+) \| (?:train|training) time: *(?<duration>[\d.]+)s \|(?: (?:valid|eval|val)\w* time: *(?<evaluation>[\d.]+)s \|)?(?<values>.*))",
             .first_epoch = LineRule::unknown,
             .evidence = 1,
             .value = cell},
            {.says = Says::step,
             .needs = "Loss_D: ",
             .pattern =
                 R"(^\[(?<epoch>\d+)/(?<epochs>\d+)\]\s*\[(?<step>\d+)/(?<steps>\d+)\]\s+(?<values>Loss_D: .*))",
             .first_epoch = LineRule::unknown,
             .counts_epochs = true},
            {.says = Says::step,
             .needs = "] loss: ",
             .pattern = R"(^\[(?<epoch>\d+), +(?<step>\d+)\] (?<values>loss: .*))",
             .first_epoch = LineRule::unknown},
            {.says = Says::end,
             .needs = "%) ",
             .pattern =
                 R"(^\[?(?<clock>\d+m \d+s) (?:\(- \d+m \d+s\) )?\((?<epoch>[1-9]\d*) \d+%\) (?<loss>\d+\.\d+)\]?$)",
             .first_epoch = 1,
             .from_start = true},
            {.says = Says::end,
             .needs = "Finished Training",
             .pattern = "^Finished Training$",
             .evidence = 0}},
       .not_metrics = {"ms/batch"}});
}

}  // namespace epochcast::progress::formats
