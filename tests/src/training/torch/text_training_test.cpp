// Training and answering on texts, by its torch-free face.
#include <gtest/gtest.h>

#include "src/training/torch/run/workload.hpp"
#include "tests/files.hpp"

namespace epochcast::libtorch {
namespace {

run::RunConfig tiny_net_on_made_sentences() {
  return {.model = "distilbert",
          .dataset = "sst2",
          .batch = 16,
          .model_options = {{"layers", "1"},
                            {"hidden", "32"},
                            {"heads", "4"},
                            {"intermediate", "64"},
                            {"vocabulary", "64"},
                            {"length", "32"}},
          .dataset_options = {{"path", "share:texts"},
                              {"vocabulary", "share:texts/vocab.txt"},
                              {"group_by_length", "true"}},
          .optimizer_options = {{"learning_rate", "0.003"}}};
}

void steps(train::Workload& workload, int count) {
  for (int i = 0; i < count && workload.load_batch().samples > 0; ++i) {
    workload.step();
  }
}

TEST(TextTraining, LearnsSyntheticSentences) {
  const auto workload = make_workload(tiny_net_on_made_sentences(), {}, 1);
  for (int epoch = 0; epoch < 6; ++epoch) {
    workload->start_epoch(epoch);
    steps(*workload, 100);
  }
  EXPECT_GT(train::metric(workload->parts().evaluator->evaluate(), "val_accuracy"), 0.9);
}

TEST(TextTraining, APassInBatchesByLengthContinuesWhereItStopped) {
  const TemporaryFolder folder;
  const auto whole = make_workload(tiny_net_on_made_sentences(), {}, 1);
  whole->start_epoch(0);
  steps(*whole, 100);
  {
    const auto first = make_workload(tiny_net_on_made_sentences(), {}, 1);
    first->start_epoch(0);
    steps(*first, 2);
    first->parts().checkpoints->save(folder / "checkpoint");
  }
  const auto second = make_workload(tiny_net_on_made_sentences(), {}, 1);
  EXPECT_EQ(second->parts().checkpoints->restore(folder / "checkpoint").iteration, 2);
  second->start_epoch(0);
  steps(*second, 100);
  EXPECT_EQ(second->losses(), whole->losses());
}

TEST(TextTraining, AnswersASetWithoutLabelsWithoutAnAccuracy) {
  const TemporaryFolder folder;
  set_bytes(folder / "dev.tsv", "index\tsentence\n0\tthe film is warm\n");
  auto config = tiny_net_on_made_sentences();
  config.task = run::Task::infer;
  config.dataset_options["path"] = folder.path();
  const auto workload = make_workload(config, {}, 1);
  workload->start_epoch(0);
  steps(*workload, 100);
  EXPECT_TRUE(workload->losses().empty());
}

}  // namespace
}  // namespace epochcast::libtorch
