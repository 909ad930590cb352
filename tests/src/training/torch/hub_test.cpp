// The classifiers of the published studies against transformers, by exchange of weights in both
// directions (tests/python/hub_reference.py).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "src/training/torch/network/about.hpp"
#include "src/training/torch/network/model.hpp"
#include "tests/files.hpp"
#include "tests/python.hpp"
#include "tests/src/training/torch/networks.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;

struct HubCase {
  std::string model;
  run::OptionValues options;
  int steps = 10;
};

/// Small ones of every family, and some of which the fast procedure computes layers by oneDNN.
const std::vector<HubCase> small_cases{
    {"bert",
     {{"layers", "2"},
      {"hidden", "24"},
      {"heads", "4"},
      {"intermediate", "40"},
      {"vocabulary", "60"},
      {"positions", "16"},
      {"length", "13"},
      {"labels", "3"}}},
    {"roberta",
     {{"layers", "2"},
      {"hidden", "24"},
      {"heads", "4"},
      {"intermediate", "40"},
      {"vocabulary", "60"},
      {"positions", "18"},
      {"length", "13"},
      {"labels", "3"}}},
    {"distilbert",
     {{"layers", "2"},
      {"hidden", "24"},
      {"heads", "4"},
      {"intermediate", "40"},
      {"vocabulary", "60"},
      {"positions", "16"},
      {"length", "13"},
      {"labels", "3"}}},
    {"deit_tiny",
     {{"layers", "2"}, {"hidden", "24"}, {"heads", "3"}, {"size", "48"}, {"labels", "3"}}},
    {"deit_tiny_distilled",
     {{"layers", "2"}, {"hidden", "24"}, {"heads", "3"}, {"size", "48"}, {"labels", "3"}}},
    {"convnext_tiny", {{"depths", "1,1,2,1"}, {"width", "8"}, {"size", "64"}, {"labels", "3"}}},
    {"convnextv2_nano", {{"depths", "1,1,2,1"}, {"width", "8"}, {"size", "64"}, {"labels", "3"}}},
    {"tinybert", {{"layers", "2"}, {"length", "45"}, {"vocabulary", "500"}}},
    {"deit_tiny", {{"layers", "2"}, {"size", "96"}}},
    {"convnext_tiny", {{"depths", "1,1,1,1"}, {"width", "48"}, {"size", "64"}, {"labels", "3"}}},
};

run::RunConfig config_of(const HubCase& c, const std::string& procedure) {
  auto options = c.options;
  const auto& specs = models::all().at(c.model).options;
  for (const auto* name : {"dropout", "head_dropout"}) {
    if (std::any_of(specs.begin(), specs.end(),
                    [&](const run::OptionSpec& spec) { return spec.name == name; })) {
      options[name] = "0";
    }
  }
  return resolve_defaults(
      {.model = c.model,
       .dataset = "synthetic",
       .procedure = procedure,
       .model_options = options,
       .optimizer_options = {{"learning_rate", "0.001"}, {"weight_decay", "0.05"}}});
}

/// Away from the initial values, so that no norm is 1 and no bias 0.
void redraw(const Network& network) {
  const torch::NoGradGuard no_grad;
  for (const auto& [name, parameter] : network.parameters()) {
    Tensor(parameter).add_(torch::randn(parameter.sizes()), 0.05);
  }
}

/// Four samples; tokens of odd lengths, padded with `padding`.
Samples make_batch(const SampleSpec& spec, std::int64_t padding) {
  auto shape = spec.shape;
  shape.insert(shape.begin(), 4);
  const auto labels = torch::randint(spec.classes, {4}, torch::kLong);
  if (spec.vocabulary == 0) {
    return {torch::rand(shape) * 2 - 1, labels};
  }
  const auto longest = shape.back();
  const auto lengths = torch::tensor({longest, longest - 2, std::int64_t(5), std::int64_t(1)});
  const auto mask = torch::arange(longest) < lengths.unsqueeze(1);
  const auto tokens = torch::randint(5, spec.vocabulary, shape, torch::kLong);
  return {tokens.masked_fill(~mask, padding), labels, mask};
}

class Exchange {
 public:
  explicit Exchange(const HubCase& c) : case_(c), config_(config_of(c, "reference")) {
    torch::manual_seed(11);
    at::set_num_threads(1);
    reference_ = make_network(config_);
    redraw(*reference_);
    batch_ = make_batch(models::all().at(c.model).input(config_.model_options),
                        c.model == "roberta" ? 1 : 0);
    save_weights(folder_ / "ours.safetensors", reference_->weights());
    NamedTensors batch{{"inputs", batch_.inputs}, {"labels", batch_.labels}};
    if (batch_.mask.defined()) {
      batch.emplace_back("mask", batch_.mask);
    }
    save_weights(folder_ / "batch.safetensors", batch);
    std::ofstream(folder_ / "case.json") << nlohmann::json{{"model", c.model},
                                                           {"options", config_.model_options},
                                                           {"optimizer", config_.optimizer_options},
                                                           {"steps", c.steps}};
  }

  const std::string& folder() const { return folder_.path(); }

  void compare() const {
    SCOPED_TRACE(case_.model);
    const auto classes = models::all().at(case_.model).input(config_.model_options).classes;
    auto logits = torch::empty({4, classes});
    auto hub_logits = torch::empty({4, classes});
    auto losses = torch::empty({case_.steps});
    load_weights(folder_ / "theirs.safetensors",
                 {{"logits", logits}, {"hub_logits", hub_logits}, {"losses", losses}}, {});
    expect_near(reference_->infer(batch_), logits, 1e-4, "reference, our weights");
    const auto fast = loaded("optimized", "ours.safetensors");
    expect_near(fast->infer(batch_), logits, 1e-4, "fast, our weights");
    for (const auto* procedure : {"reference", "optimized"}) {
      expect_near(loaded(procedure, "hub")->infer(batch_), hub_logits, 1e-4, "their weights");
    }
    const auto frozen = loaded("optimized", "hub");
    frozen->prepare_for_inference();
    expect_near(frozen->infer(batch_), hub_logits, 1e-4, "frozen, their weights");
    expect_near(train(*reference_), losses, 1e-3, "reference, losses");
    expect_near(train(*fast), losses, 1e-3, "fast, losses");
  }

 private:
  std::unique_ptr<Network> loaded(const std::string& procedure, const std::string& weights) const {
    auto network = make_network(config_of(case_, procedure));
    const auto remarks = load_weights(folder_ / weights, network->weights(),
                                      models::all().at(case_.model).hub(config_.model_options));
    EXPECT_TRUE(remarks.empty()) << "the names are the reference's: " << remarks.front();
    return network;
  }

  Tensor train(Network& network) const {
    std::vector<Tensor> losses;
    for (int step = 0; step < case_.steps; ++step) {
      losses.push_back(network.step(batch_)[0].detach() / 4);
    }
    return losses.empty() ? torch::empty({0}) : torch::stack(losses);
  }

  void expect_near(const Tensor& ours, const Tensor& theirs, double tolerance,
                   const std::string& what) const {
    ASSERT_EQ(ours.sizes(), theirs.sizes()) << what;
    if (ours.numel() > 0) {
      const auto difference = (ours - theirs).abs().max().item<double>();
      EXPECT_LT(difference, tolerance) << what << ours << theirs;
      std::cout << fmt::format("{:20} {:27} differ by {:.1e} of {:.1e}\n", case_.model, what,
                               difference, theirs.abs().max().item<double>());
    }
  }

  HubCase case_;
  run::RunConfig config_;
  TemporaryFolder folder_;
  std::unique_ptr<Network> reference_;
  Samples batch_;
};

void ask_transformers(const std::string& python, const std::vector<std::string>& folders) {
  auto command = python + " " EPOCHCAST_SOURCE_DIR "/tests/python/hub_reference.py";
  for (const auto& folder : folders) {
    command += " " + folder;
  }
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

// One test, since starting transformers takes longer than all the rest.
TEST(Hub, SmallNetworksOfEveryFamilyComputeTheSameAsTransformers) {
  const auto python = tests::python_with("transformers");
  if (!python) {
    GTEST_SKIP()
        << "no Python with transformers: env/test installs it, EPOCHCAST_PYTHON names another";
  }
  std::vector<std::unique_ptr<Exchange>> exchanges;
  std::vector<std::string> folders;
  for (const auto& c : small_cases) {
    exchanges.push_back(std::make_unique<Exchange>(c));
    folders.push_back(exchanges.back()->folder());
  }
  ASSERT_NO_FATAL_FAILURE(ask_transformers(*python, folders));
  for (const auto& exchange : exchanges) {
    exchange->compare();
  }
}

TEST(SlowHub, AllFifteenPublishedNetworksComputeTheSameAsTransformers) {
  if (std::getenv("EPOCHCAST_LONG") == nullptr) {
    GTEST_SKIP() << "needs EPOCHCAST_LONG (env/test --long)";
  }
  const auto python = tests::python_with("transformers");
  if (!python) {
    GTEST_SKIP()
        << "no Python with transformers: env/test installs it, EPOCHCAST_PYTHON names another";
  }
  for (const auto& [name, spec] : models::all()) {
    if (spec.optimizer.name != "adamw") {
      continue;  // of another study
    }
    const bool text =
        spec.input(run::complete_options({}, spec.options, "model", name)).vocabulary > 0;
    const Exchange exchange(
        {name, text ? run::OptionValues{{"length", "33"}} : run::OptionValues{}, /*steps=*/0});
    ASSERT_NO_FATAL_FAILURE(ask_transformers(*python, {exchange.folder()}));
    exchange.compare();
  }
}

}  // namespace
}  // namespace epochcast::libtorch
