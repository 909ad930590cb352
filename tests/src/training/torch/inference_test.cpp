// Inference through the interface without LibTorch types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/core/csv.hpp"
#include "src/base/core/error.hpp"
#include "src/training/torch/run/workload.hpp"
#include "tests/src/training/image/fixtures.hpp"

namespace epochcast::libtorch {
namespace {

namespace test_files = image::test;
using ::testing::HasSubstr;

run::RunConfig on_the_disc(run::Task task, std::int64_t batch) {
  return {.task = task,
          .model = "mlp",
          .dataset = "disc",
          .batch = batch,
          .model_options = {{"depth", "3"}}};
}

std::int64_t answer_all(train::Workload& workload) {
  std::int64_t samples = 0;
  workload.start_epoch(0);
  for (auto batch = workload.load_batch(); batch.samples > 0; batch = workload.load_batch()) {
    workload.step();
    samples += batch.samples;
  }
  return samples;
}

TEST(Inference, AnswersEverySampleOnceWithTheAccuracyOfTheUntrainedNet) {
  const auto asked = make_workload(on_the_disc(run::Task::infer, 300), {}, 1);
  EXPECT_EQ(asked->describe().samples_per_epoch, 1000);
  EXPECT_EQ(asked->describe().iterations_per_epoch, 4);
  EXPECT_EQ(answer_all(*asked), 1000);

  const auto trained = make_workload(on_the_disc(run::Task::train, 1000), {}, 1);
  trained->start_epoch(0);
  trained->load_batch();
  trained->step();  // its accuracy is that of the weights before the update
  EXPECT_DOUBLE_EQ(train::metric(asked->losses(), "accuracy"),
                   train::metric(trained->losses(), "accuracy"));
  EXPECT_GT(train::metric(asked->losses(), "balanced_accuracy"), 0);
}

TEST(Inference, LeavesTheWeightsAsTheyWere) {
  const auto workload = make_workload(on_the_disc(run::Task::infer, 100), {}, 1);
  answer_all(*workload);
  const auto first = workload->losses();
  answer_all(*workload);
  EXPECT_EQ(workload->losses(), first);
}

TEST(Inference, CostsTheForwardPassAlone) {
  const auto forward = make_workload(on_the_disc(run::Task::infer, 100), {}, 1)->describe();
  EXPECT_DOUBLE_EQ(forward.flops_per_sample,
                   2 * 56);  // the published multiply-adds of three layers
  EXPECT_EQ(forward.parameter_count, 70);
}

TEST(Inference, APictureThatCannotBeReadHasNoAnswerAndNoOtherTakesItsPlace) {
  const test_files::TestFolder folder;
  for (const std::string name : {"a/0.png", "a/1.png", "b/0.png", "b/1.png"}) {
    const auto bytes = test_files::png_bytes(test_files::pattern(40, 30));
    folder.write(name, name == "a/1.png" ? bytes.substr(0, 300) : bytes);
  }
  for (const std::string cache : {"1KB", "1GB"}) {
    run::RunConfig config{
        .task = run::Task::infer, .model = "deit_tiny", .dataset = "images", .batch = 2};
    config.model_options = {{"layers", "1"}, {"labels", "2"}, {"size", "32"}};
    config.dataset_options = {{"path", folder.path()}, {"cache", cache}};
    const auto workload = make_workload(config, {}, 1);
    workload->parts().answers->open(folder.path(cache), "p-1", false);
    EXPECT_EQ(answer_all(*workload), 4);
    workload->parts().answers->merge();
    std::vector<std::string> seen;
    for (const auto& row : parse_csv(test_files::read_file(folder.path(cache + "/answers.csv")))) {
      seen.push_back(row[0] + " of class " + row[2] + ": " + row[4]);
    }
    EXPECT_THAT(seen, ::testing::ElementsAre("item of class label: origin",
                                             "0 of class 0: " + folder.path("a/0.png"),
                                             "2 of class 1: " + folder.path("b/0.png"),
                                             "3 of class 1: " + folder.path("b/1.png")));
    EXPECT_THAT(workload->notes(),
                ::testing::Contains(HasSubstr("skipped " + folder.path("a/1.png"))));
  }
}

/// Its answer was class 0 for every item.
TEST(Inference, OfADivergedNetworkHasEmptyAnswersAndANote) {
  const test_files::TestFolder folder;
  auto config = on_the_disc(run::Task::train, 10);
  config.dataset = "synthetic";
  config.dataset_options = {{"samples", "80"}, {"held_out", "10"}};
  config.optimizer_options = {{"learning_rate", "1e30"}};
  const auto trained = make_workload(config, {}, 1);
  answer_all(*trained);  // trains
  trained->parts().evaluator->save_weights(folder.path("nan.safetensors"));
  config = on_the_disc(run::Task::infer, 100);
  config.weights = folder.path("nan.safetensors");
  const auto asked = make_workload(config, {}, 1);
  asked->parts().answers->open(folder.path("point"), "p-1", false);
  const auto items = answer_all(*asked);
  asked->parts().answers->merge();
  EXPECT_EQ(train::metric(asked->losses(), "accuracy"), 0);
  const auto rows = parse_csv(test_files::read_file(folder.path("point/answers.csv")));
  ASSERT_EQ(std::ssize(rows), 1 + items);
  EXPECT_EQ(rows[1][1], "");
  EXPECT_THAT(asked->notes(),
              ::testing::Contains(HasSubstr("was not finite: their answers are empty")));
}

TEST(Inference, RefusesATarget) {
  auto config = on_the_disc(run::Task::infer, 100);
  config.target_accuracy = 0.9;
  try {
    make_workload(config, {}, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("target_accuracy: not allowed for task infer"));
  }
}

}  // namespace
}  // namespace epochcast::libtorch
