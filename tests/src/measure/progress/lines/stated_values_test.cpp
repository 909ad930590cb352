#include "src/measure/progress/lines/stated_values.hpp"

#include <gmock/gmock.h>

#include "src/base/core/gzip.hpp"
#include "tests/shared_data.hpp"

namespace epochcast::progress {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> found(const std::vector<record::ParameterRow>& rows) {
  std::vector<std::string> texts;
  for (const auto& row : rows) {
    texts.push_back(row.name.str() + "=" + row.value.str());
  }
  return texts;
}

std::vector<std::string> found_in(std::string_view text) {
  return found(stated_values(text));
}

TEST(StatedValues, AreReadInTheFormsThatFrameworksPrint) {
  // Megatron-LM's arguments, as its runs print them
  EXPECT_THAT(found_in("  eval_interval ................................... 1000\n"
                       "  eval_iters ...................................... 10\n"
                       "[default0]:  save_interval ................................... None\n"
                       "  tensor_model_parallel_size ...................... 8\n"
                       "  transformer_pipeline_model_parallel_size ........ 1\n"
                       "  virtual_pipeline_model_parallel_size ............ 4\n"),
              UnorderedElementsAre("eval_interval=1000", "tensor_model_parallel_size=8"));
  // Hugging Face's, of which logging is no evaluation
  EXPECT_THAT(found_in("eval_steps=500,\neval_strategy=IntervalStrategy.STEPS,\nlogging_steps=10,\n"
                       "save_steps=0.1,\nsave_strategy=no,\n"),
              UnorderedElementsAre("eval_steps=500", "eval_strategy=IntervalStrategy.STEPS",
                                   "save_steps=0.1", "save_strategy=no"));
  EXPECT_THAT(found_in("+ exec python train.py --eval-interval 250 --save_interval=1e3\n"),
              UnorderedElementsAre("eval_interval=250", "save_interval=1e3"));
  EXPECT_THAT(found_in("export START_EVAL_AT=1000\nEVALUATE_EVERY=\"20\"  # epochs\n"),
              UnorderedElementsAre("start_eval_at=1000", "evaluate_every=20"));
  EXPECT_THAT(found_in(R"({"eval_steps": 50, 'save_steps': 100})"),
              UnorderedElementsAre("eval_steps=50", "save_steps=100"));
  EXPECT_THAT(found_in("    val_check_interval: 0.25\033[0m\n+trainer.micro_batch_size=2"),
              UnorderedElementsAre("val_check_interval=0.25", "micro_batch_size=2"));
}

TEST(StatedValues, OtherLinesStateNothing) {
  for (const std::string text :
       {"eval_steps: 10%|#   | 1/10", "eval_interval 3/10", "save_interval=None", "eval_steps",
        "per_device_eval_steps=3", "micro_batch 3 loss 2", "eval_steps_per_second=3",
        "EVAL_EVERY=${EVAL_EVERY}", "--eval_interval \"$N\"", "eval_interval\n1000",
        "save_steps=-1", R"({"key": "eval_every", "value": 3})"}) {
    EXPECT_THAT(found_in(text + "\n"), IsEmpty()) << text;
  }
}

TEST(StatedValues, TheLastOfAConfigurationCountsAndLaterOnesDoNot) {
  StatedValues values;
  values.read("eval_interval = 2000\nOverriding: eval_interval = 5");
  EXPECT_THAT(found(values.take()), ElementsAre("eval_interval=2000")) << "the line goes on";
  values.read("0\n");
  EXPECT_THAT(values.take(), IsEmpty());
}

TEST(StatedValues, MayBeCutAnywhere) {
  const std::string text = "\n  eval_interval ................................... 1000\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    StatedValues values;
    values.read(text.substr(0, cut));
    values.read(text.substr(cut));
    EXPECT_THAT(found(values.take()), ElementsAre("eval_interval=1000")) << cut;
  }
}

TEST(StatedValues, OfRealLogs) {
  const std::string logs = "timing/mlperf/logs/dgxa100_ngc21.05_";
  EPOCHCAST_NEEDS_SHARED_DATA(logs + "mxnet-ssd-result_0.txt");
  const auto of = [&](const std::string& name) {
    return found_in(read_text_or_gzip(shared_data(logs + name + "-result_0.txt")));
  };
  EXPECT_THAT(of("mxnet-resnet"), UnorderedElementsAre("eval_period=4", "eval_offset=2"));
  EXPECT_THAT(of("mxnet-ssd"), IsEmpty()) << "save_interval=None";
  EXPECT_THAT(of("pytorch-rnnt"), IsEmpty());
}

}  // namespace
}  // namespace epochcast::progress
