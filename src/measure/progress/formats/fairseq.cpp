// fairseq's fairseq-train, with --log-format simple or json's texts:
//   | epoch 001:   1000 / 2700 loss=6.32, ppl=36.6, ..., wall=4247
//   | epoch 001 | loss 6.326 | ... | num_updates 21896 | wall 4634
//   | epoch 001 | valid on 'valid' subset | loss 6.43 | ...
//   | train | {"epoch": 1, "train_loss": "8.9", ..., "train_wall": "62"}
//   | valid | {"epoch": 1, "valid_loss": "8.0", ...}
// Its `wall` is a clock of the whole run.
#include "src/measure/progress/reading/pattern_format.hpp"

namespace epochcast::progress::formats {

FormatSpec fairseq() {
  const std::string cell = R"re("(?:train_|valid_)?(?<name>\w+)": "?(?<value>[-+.\deE]+)"?)re";
  return pattern_format(
      {.summary = "fairseq's lines: '| epoch 001:   1000 / 2700 loss=6.32, ..., wall=4247'",
       .rules =
           {{.says = Says::evaluated,
             .needs = "valid on ",
             .pattern = R"(epoch (?<epoch>\d+) \|.* valid on '[^']*' subset:? *\| (?<values>.*))",
             .first_epoch = 1,
             .bare = true},
            {.says = Says::evaluation,
             .needs = "begin validation on",
             .pattern = R"(begin validation on ")"},
            {.says = Says::step,
             .needs = "epoch ",
             .pattern =
                 R"(epoch (?<epoch>\d{3,}): +(?<step>\d+) */ *(?<steps>\d+) (?<values>\S+=.*?)(?:\bwall=(?<clock>[\d.]+).*)?$)",
             .first_epoch = 1,
             .first_step = 1},
            {.says = Says::begin,
             .needs = "begin training epoch",
             .pattern = R"(begin training epoch (?<epoch>\d+))",
             .first_epoch = 1},
            {.says = Says::end,
             .needs = "| epoch ",
             .pattern =
                 R"(\| epoch (?<epoch>\d+) \| (?:\[\w+\] )?(?<values>(?:\w+ [-+.\deE]+ ?\|? ?)*?wall (?<clock>[\d.]+)))",
             .first_epoch = 1,
             .bare = true},
            {.says = Says::end,
             .needs = "train | {",
             .pattern =
                 R"re((?:^|\| )train \| \{"epoch": (?<epoch>\d+), (?<values>.*?)"train_wall": "(?<clock>[\d.]+)")re",
             .first_epoch = 1,
             .value = cell},
            {.says = Says::evaluated,
             .needs = "valid | {",
             .pattern = R"((?:^|\| )valid \| \{"epoch": (?<epoch>\d+), (?<values>.*)\})",
             .first_epoch = 1,
             .prefix = "valid_",
             .value = cell}},
       .not_metrics = {"wall", "train_wall", "num_updates", "valid_num_updates"},
       .hints = {"epoch ", "\"epoch\"", "valid on ", "begin training epoch", "begin validation"}});
}

}  // namespace epochcast::progress::formats
