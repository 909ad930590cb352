// The text and image classifiers of the published studies: their sizes and work as published, what
// padding and the fast procedure must not change, weights from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/process/command.hpp"
#include "src/training/torch/network/about.hpp"
#include "src/training/torch/network/model.hpp"
#include "src/training/torch/run/workload.hpp"
#include "tests/files.hpp"
#include "tests/python.hpp"

namespace epochcast::libtorch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using torch::Tensor;

const run::OptionValues small_text{
    {"layers", "2"},        {"hidden", "24"},     {"heads", "4"},
    {"intermediate", "40"}, {"vocabulary", "60"}, {"positions", "18"},
    {"length", "12"},       {"labels", "3"},      {"dropout", "0"}};
const run::OptionValues small_vit{
    {"layers", "2"}, {"hidden", "24"}, {"heads", "3"}, {"size", "48"}, {"labels", "3"}};
const run::OptionValues small_convnext{
    {"depths", "1,1,2,1"}, {"width", "8"}, {"size", "64"}, {"labels", "3"}};

run::RunConfig run_of(const std::string& model, const run::OptionValues& options,
                      const std::string& procedure = "optimized") {
  return {.model = model,
          .dataset = "synthetic",
          .batch = 4,
          .procedure = procedure,
          .model_options = options,
          .dataset_options = {{"samples", "4"}}};
}

/// With plain steps down the gradient, which need no memory beside the weights.
std::unique_ptr<Network> network_of(run::RunConfig config) {
  config.optimizer = "sgd";
  config = resolve_defaults(config);
  torch::manual_seed(3);
  return models::all()
      .at(config.model)
      .make({.options = config.model_options,
             .procedure =
                 config.procedure == "reference" ? Procedure::reference : Procedure::optimized,
             .optimizer = {config.optimizer, config.optimizer_options}});
}

std::int64_t parameters_of(const std::string& model, const run::OptionValues& options = {}) {
  std::int64_t count = 0;
  for (const auto& [name, parameter] : network_of(run_of(model, options))->parameters()) {
    count += parameter.numel();
  }
  return count;
}

TEST(Families, HaveThePublishedNumbersOfParameters) {
  const std::map<std::string, std::int64_t> published{{"convnext_tiny", 28'589'128},
                                                      {"convnext_small", 50'223'688},
                                                      {"convnextv2_nano", 15'623'800},
                                                      {"convnextv2_tiny", 28'635'496},
                                                      {"vit_base", 86'567'656},
                                                      {"deit_tiny", 5'717'416},
                                                      {"deit_small", 22'050'664},
                                                      {"deit_base", 86'567'656},
                                                      {"deit_tiny_distilled", 5'910'800},
                                                      {"deit_base_distilled", 87'338'192},
                                                      {"bert", 109'483'778},
                                                      {"tinybert", 14'350'874},
                                                      {"minilm", 33'360'770},
                                                      {"roberta", 124'647'170},
                                                      {"distilbert", 66'955'010}};
  for (const auto& [model, count] : published) {
    EXPECT_EQ(parameters_of(model), count) << model;
  }
}

TEST(Families, WithTenClassesHaveThePublishedNumbersOfParameters) {
  const std::map<std::string, std::int64_t> published{{"convnextv2_nano", 14'989'210},
                                                      {"deit_tiny", 5'526'346},
                                                      {"deit_tiny_distilled", 5'528'660}};
  for (const auto& [model, count] : published) {
    EXPECT_EQ(parameters_of(model, {{"labels", "10"}}), count) << model;
  }
}

TEST(DeitTiny, DoesThePublishedWork) {
  const auto workload = make_workload(run_of("deit_tiny", {}, "reference"), {}, 2);
  constexpr double forward_macs = 1.254e9;
  constexpr double patches_macs = 196.0 * 768 * 192;  // no gradient of the picture
  EXPECT_NEAR(workload->describe().flops_per_sample, 2 * (3 * forward_macs - patches_macs),
              2 * 3 * 0.0005e9);
  EXPECT_LT(make_workload(run_of("deit_tiny", {}), {}, 2)->describe().flops_per_sample,
            workload->describe().flops_per_sample)
      << "the last layer computes one token of 197";
}

TEST(TextModels, LookAtNoPadding) {
  for (const std::string model : {"bert", "roberta", "distilbert"}) {
    const auto network = network_of(run_of(model, small_text));
    const auto tokens = torch::randint(5, 60, {2, 7}, torch::kLong);
    const auto alone = network->infer({tokens, {}});
    const std::int64_t padding = model == "roberta" ? 1 : 0;
    const auto padded = torch::constant_pad_nd(tokens, {0, 5}, padding);
    const auto mask = torch::arange(12).expand({2, 12}) < 7;
    EXPECT_TRUE(torch::allclose(network->infer({padded, {}, mask}), alone, 1e-4, 1e-6)) << model;
    EXPECT_FALSE(torch::allclose(network->infer({padded, {}}), alone, 1e-4, 1e-6))
        << model << ": the mask counts";
  }
}

/// The losses of an epoch, steps as they go.
double loss_after(const run::RunConfig& config, int epochs) {
  const auto workload = make_workload(config, {}, 1);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    workload->start_epoch(epoch);
    while (workload->load_batch().samples > 0) {
      workload->step();
    }
  }
  return train::metric(workload->losses(), "loss");
}

TEST(Families, OverfitSyntheticSamplesEquallyInBothProcedures) {
  for (const auto& [model, options] :
       std::map<std::string, run::OptionValues>{{"bert", small_text},
                                                {"roberta", small_text},
                                                {"deit_tiny_distilled", small_vit},
                                                {"convnext_tiny", small_convnext},
                                                {"convnextv2_nano", small_convnext}}) {
    auto config = run_of(model, options);
    config.dataset_options = {{"samples", "12"}, {"shortest", "0.3"}};
    config.optimizer_options = {{"learning_rate", "0.003"}};
    const auto first = loss_after(config, 1);
    const auto fast = loss_after(config, 12);
    EXPECT_LT(fast, 0.8 * first) << model;
    config.procedure = "reference";
    EXPECT_NEAR(loss_after(config, 1), first, 1e-3) << model;
  }
}

TEST(TextModels, HaveDropoutInTrainingOnly) {
  auto options = small_text;
  options["dropout"] = "0.5";
  const auto network = network_of(run_of("distilbert", options));
  const Samples batch{torch::randint(5, 60, {4, 12}, torch::kLong),
                      torch::zeros({4}, torch::kLong)};
  EXPECT_TRUE(torch::equal(network->infer(batch), network->infer(batch)));
  const auto first = network->step(batch)[0].item<double>();
  const auto before = network->score(batch).loss.item<double>();
  EXPECT_NE(first, before);
}

TEST(Families, RefuseSizesThatDoNotFit) {
  const auto error = [](const std::string& model, const run::OptionValues& options) {
    return error_of([&] { network_of(run_of(model, options)); });
  };
  EXPECT_EQ(error("bert", {{"heads", "7"}}),
            "model.heads: found 7, expected a divisor of model.hidden=768");
  EXPECT_EQ(
      error("roberta", {{"length", "513"}}),
      "model.length: found 513, expected at most the 512 tokens that model.positions=514 allows");
  EXPECT_EQ(error("deit_tiny", {{"size", "100"}}),
            "model.size: found 100, expected a multiple of 16 pixels");
  EXPECT_EQ(error("convnext_tiny", {{"depths", "3,3,9"}}),
            "model.depths: found '3,3,9', expected 4 numbers from 1, as 3,3,9,3");
  auto config = run_of("bert", small_text);
  config.dataset = "disc";
  EXPECT_EQ(error_of([&] { make_workload(config, {}, 1); }),
            "dataset disc: the model needs tokens, expected a model for samples of shape 2");
}

TEST(Adamw, AppliesWeightDecayToNeitherBiasNorNorm) {
  for (const auto procedure : {Procedure::reference, Procedure::optimized}) {
    const NamedTensors parameters{{"layer.weight", torch::ones({2, 2}, torch::requires_grad())},
                                  {"layer.bias", torch::ones({2}, torch::requires_grad())},
                                  {"norm.weight", torch::ones({2}, torch::requires_grad())},
                                  {"scale", torch::ones({2}, torch::requires_grad())}};
    const auto& spec = optimizers::all().at("adamw");
    const auto optimizer = make_optimizer(
        {"adamw", run::complete_options({{"learning_rate", "0.1"}, {"weight_decay", "0.5"}},
                                        spec.options, "optimizer", "adamw")},
        procedure, parameters);
    for (const auto& [name, parameter] : parameters) {
      Tensor(parameter).mutable_grad() = torch::zeros_like(parameter);
    }
    optimizer->step();
    std::vector<float> first;
    for (const auto& [name, parameter] : parameters) {
      first.push_back(parameter.flatten()[0].item<float>());
    }
    EXPECT_THAT(first, ElementsAre(0.95F, 1, 1, 0.95F));
  }
}

class Weights : public ::testing::Test {
 protected:
  std::vector<std::string> load(const Network& into, const std::string& model) const {
    return load_weights(folder.path(), into.weights(),
                        models::all().at(model).hub({{"heads", "4"}}));
  }
  std::string error() const {
    return error_of([&] { load(*network, "bert"); });
  }
  void write(const NamedTensors& tensors) const {
    save_weights(folder / "model.safetensors", tensors);
  }

  const TemporaryFolder folder;
  const run::RunConfig config = run_of("bert", small_text);
  const std::unique_ptr<Network> network = network_of(config);
};

TEST_F(Weights, WrittenAreReadAgainInHalfPrecisionToo) {
  write(network->weights());
  const auto other = network_of(config);
  const auto first = other->parameters().front().second;
  const auto written = network->parameters().front().second.clone();
  {
    const torch::NoGradGuard no_grad;
    Tensor(first).zero_();
  }
  EXPECT_TRUE(load(*other, "bert").empty());
  EXPECT_TRUE(torch::equal(first, written));
  NamedTensors half;
  for (const auto& [name, tensor] : network->weights()) {
    half.emplace_back(name, tensor.to(torch::kHalf));
  }
  write(half);
  EXPECT_TRUE(load(*other, "bert").empty());
  EXPECT_TRUE(torch::equal(first, written.to(torch::kHalf).to(torch::kFloat)));
}

TEST_F(Weights, OfTorchSaveAreTheSame) {
  const auto python = tests::python_with("torch, safetensors");
  if (!python) {
    GTEST_SKIP() << "no Python with torch and safetensors: env/deps python";
  }
  write(network->weights());
  const auto result = process::run_command(
      {*python, "-c",
       "import sys, torch, safetensors.torch as s; "
       "torch.save(s.load_file(sys.argv[1] + '/model.safetensors'), sys.argv[1] + "
       "'/pytorch_model.bin')",
       folder.path()},
      120);
  ASSERT_TRUE(result.ok()) << result.err;
  std::filesystem::remove(folder / "model.safetensors");
  const auto other = network_of(config);
  {
    const torch::NoGradGuard no_grad;
    for (const auto& [name, tensor] : other->weights()) {
      Tensor(tensor).zero_();
    }
  }
  EXPECT_TRUE(load(*other, "bert").empty());
  for (std::size_t i = 0; i < network->weights().size(); ++i) {
    EXPECT_TRUE(torch::equal(other->weights()[i].second, network->weights()[i].second)) << i;
  }
}

TEST_F(Weights, OfTheBodyAloneUnderOldNamesLeaveTheHeadAsDrawn) {
  NamedTensors body{{"cls.predictions.bias", torch::zeros({3})}};
  for (const auto& [name, tensor] : network->weights()) {
    if (name.starts_with("bert.")) {
      auto old = name.substr(5);
      if (const auto norm = old.find("LayerNorm.weight"); norm != std::string::npos) {
        old = old.substr(0, norm) + "LayerNorm.gamma";
      }
      body.emplace_back(old, tensor + 1);
    }
  }
  write(body);
  const auto other = network_of(config);
  const auto head = other->parameters().back().second.clone();
  const auto remarks = load(*other, "bert");
  EXPECT_EQ(remarks.size(), 3U);
  EXPECT_THAT(remarks.back(),
              HasSubstr("has no \"classifier.weight\", \"classifier.bias\": drawn at random"));
  EXPECT_TRUE(torch::equal(other->parameters().back().second, head));
  EXPECT_TRUE(
      torch::equal(other->parameters().front().second, network->parameters().front().second + 1));
}

TEST_F(Weights, ThatDoNotFitAreRefused) {
  auto tensors = network->weights();
  tensors.back().second = torch::zeros({5});
  write(tensors);
  EXPECT_EQ(error(), folder.path() + ": classifier.bias: found the shape 5, expected 3");
  const auto before = network->parameters().back().second.clone();
  EXPECT_EQ(load_weights(folder.path(), network->weights(),
                         models::all().at("bert").hub({{"heads", "4"}}), OtherHead::drawn),
            std::vector<std::string>{folder.path() +
                                     ": classifier.bias has the shape 5 there, 3 here: drawn at "
                                     "random"});
  EXPECT_TRUE(torch::equal(network->parameters().back().second, before));
  tensors.back().second = torch::zeros({3}, torch::kLong);
  write(tensors);
  EXPECT_EQ(error(), folder.path() + ": classifier.bias: found the type I64, expected F32");
  tensors.erase(tensors.begin());
  write(tensors);
  EXPECT_EQ(error(), folder.path() + ": has no \"bert.embeddings.word_embeddings.weight\"");
  set_bytes(folder / "config.json", R"({"num_attention_heads": 12})");
  EXPECT_EQ(error(), folder / "config.json" +
                         ": num_attention_heads: found \"12\", expected 4 as the model has it");
}

TEST_F(Weights, AreWhatARunBeginsWith) {
  auto body = network->weights();
  body.resize(body.size() - 2);  // without the head
  write(body);
  auto run = config;
  run.weights = folder.path();
  const auto notes = make_workload(run, {}, 1)->notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes.front(), HasSubstr("drawn at random"));
  run.weights += "/none";
  EXPECT_THAT(error_of([&] { make_workload(run, {}, 1); }), HasSubstr("/none: no weights there"));
}

}  // namespace
}  // namespace epochcast::libtorch
