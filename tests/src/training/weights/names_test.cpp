// How names in a file of weights become a model's, and what is said about the rest.
#include "src/training/weights/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/files.hpp"

namespace epochcast::weights {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Names = std::vector<std::string>;

const Names model{"bert.embeddings.LayerNorm.weight", "bert.encoder.dense.weight",
                  "bert.pooler.dense.weight", "classifier.weight", "classifier.bias"};

NameMatches matches(const Names& in_file) {
  return match_names(in_file, model, "bert", "m.safetensors");
}

/// What the model's own names take, in its order.
Names taken(const NameMatches& found) {
  Names names;
  for (const auto& pair : found.pairs) {
    names.push_back(pair.in_file);
  }
  return names;
}

TEST(WeightNames, AreUsedUnchanged) {
  const auto found = matches(model);
  EXPECT_EQ(taken(found), model);
  EXPECT_THAT(remarks_of(found, "m.safetensors"), IsEmpty());
}

TEST(WeightNames, OfTensorFlowAndOfTheBodyAloneAreRenamed) {
  const auto found = matches({"embeddings.LayerNorm.gamma", "bert.encoder.dense.weight",
                              "pooler.dense.weight", "classifier.weight", "classifier.bias"});
  EXPECT_THAT(taken(found),
              ElementsAre("embeddings.LayerNorm.gamma", "bert.encoder.dense.weight",
                          "pooler.dense.weight", "classifier.weight", "classifier.bias"));
  EXPECT_THAT(remarks_of(found, "m"),
              ElementsAre("m: 2 of its tensors taken under other names: "
                          "\"embeddings.LayerNorm.gamma\", \"pooler.dense.weight\""));
}

TEST(WeightNames, OfAnotherTaskLeaveTheHeadToBeDrawn) {
  const auto found =
      matches({"bert.embeddings.LayerNorm.beta", "bert.embeddings.LayerNorm.weight",
               "bert.encoder.dense.weight", "cls.predictions.bias", "bert.embeddings.position_ids",
               "fit_denses.3.weight", "adapter.weight"});
  EXPECT_THAT(found.missing,
              ElementsAre("bert.pooler.dense.weight", "classifier.weight", "classifier.bias"));
  EXPECT_THAT(found.ignored, ElementsAre("cls.predictions.bias", "bert.embeddings.position_ids",
                                         "fit_denses.3.weight"));
  EXPECT_THAT(found.unexpected, ElementsAre("bert.embeddings.LayerNorm.beta", "adapter.weight"));
  EXPECT_THAT(
      remarks_of(found, "m"),
      ElementsAre(
          "m: 2 of its tensors not used: \"bert.embeddings.LayerNorm.beta\", \"adapter.weight\"",
          "m: 3 of its tensors not used, being of another task: \"cls.predictions.bias\", "
          "\"bert.embeddings.position_ids\", \"fit_denses.3.weight\"",
          "m: has no \"bert.pooler.dense.weight\", \"classifier.weight\", \"classifier.bias\": "
          "drawn at "
          "random"));
}

TEST(WeightNames, OfADeeperNetworkAreRefused) {
  const auto error = error_of([] {
    match_names({"layer.0.weight", "layer.1.weight", "layer.1.bias", "classifier.weight"},
                {"bert.layer.0.weight", "bert.layer.0.bias", "classifier.weight"}, "bert", "m");
  });
  EXPECT_EQ(error, "m: has \"layer.1.weight\", \"layer.1.bias\", which the model does not have");
}

TEST(WeightNames, TheMoreLikelyOfTwoMeaningsIsUsed) {
  const auto found = matches({"embeddings.LayerNorm.gamma", "bert.embeddings.LayerNorm.weight",
                              "bert.encoder.dense.weight", "bert.pooler.dense.weight",
                              "classifier.weight", "classifier.bias"});
  EXPECT_EQ(found.pairs.front().in_file, "bert.embeddings.LayerNorm.weight");
  EXPECT_THAT(found.unexpected, ElementsAre("embeddings.LayerNorm.gamma"));
}

TEST(WeightNames, ABodyWithAHoleIsRefused) {
  EXPECT_EQ(
      error_of([] {
        matches({"bert.embeddings.LayerNorm.weight", "bert.encoder.dens.weight"});
      }),
      "m.safetensors: has no \"bert.encoder.dense.weight\"; what it has and the model has not: "
      "\"bert.encoder.dens.weight\"");
  EXPECT_EQ(error_of([] { match_names({}, {"0.weight"}, "", "m"); }), "m: has no \"0.weight\"");
}

}  // namespace
}  // namespace epochcast::weights
