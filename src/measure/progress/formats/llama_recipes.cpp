// llama-recipes (src/llama_recipes/utils/train_utils.py) and its copies. The number in the text is
// that of the batch, from 0; the bar counts optimizer steps.
//   Training Epoch: 1/3, step 39/400 completed (loss: 1.23):  10%|█     | 10/100 [00:30<04:30, ...]
//   evaluating Epoch:  50%|█████     | 5/10 [00:01<00:01,  4.90it/s]
//    eval_ppl=tensor(2.9500, device='cuda:0') eval_epoch_loss=tensor(1.0818, device='cuda:0')
//   Epoch 1: train_perplexity=3.1200, train_epoch_loss=1.1378, epoch time 301.2s
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec llama_recipes() {
  return pattern_format(
      {.summary = "llama-recipes: 'Training Epoch: 1/3, step 39/400 completed (loss: 1.23): ...'",
       .rules = {
           {.says = Says::step,
            .needs = "Training Epoch: ",
            .pattern =
                R"(Training Epoch: (?<epoch>\d+)/(?<epochs>\d+), (?:step|batch)? ?[\d.]+/[\d.]+ completed \(loss: (?<loss>[^,)]+)\)?[^|]*: +\d+%\|[^|]*\| *(?<step>\d+)/(?<steps>\d+) \[(?<elapsed>[\d:]+)<)",
            .first_epoch = 1,
            .first_step = 1,
            .running = true},
           {.says = Says::begin,
            .needs = "Training Epoch: ",
            .pattern = R"(Training Epoch: (?<epoch>\d+): +0%\|[^|]*\| *0/)",
            .first_epoch = 1},
           {.says = Says::evaluation,
            .needs = "evaluating Epoch",
            .pattern = R"(evaluating Epoch: +\d+%\|[^|]*\| *(?<step>\d+)/(?<steps>\d+) \[)",
            .first_step = 1,
            .evidence = 0},
           {.says = Says::evaluated,
            .needs = "eval_epoch_loss=",
            .pattern =
                R"(eval_ppl=(?:tensor\()?(?<eval_ppl>[\d.]+).* eval_epoch_loss=(?:tensor\()?(?<eval_epoch_loss>[\d.]+))"},
           {.says = Says::duration,
            .needs = "epoch time ",
            .pattern =
                R"(Epoch (?<epoch>\d+): train_perplexity=(?<train_perplexity>[^,]+), train_epoch_loss=(?<train_epoch_loss>[^,]+), epoch time (?<duration>[\d.]+))",
            .first_epoch = 1}}});
}

}  // namespace epochcast::progress::formats
