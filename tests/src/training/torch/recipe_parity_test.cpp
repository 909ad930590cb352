// The recipe that fine-tunes a classifier against PyTorch and transformers: accumulation, clipping,
// schedule, half precision (tests/python/recipe_reference.py).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "src/training/torch/network/about.hpp"
#include "src/training/torch/network/model.hpp"
#include "src/training/torch/network/updater.hpp"
#include "tests/files.hpp"
#include "tests/python.hpp"
#include "tests/src/training/torch/networks.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;

struct RecipeCase {
  std::string name;
  run::RunConfig config;
  double tolerance;
  int unbearable = -1;  ///< A batch of inputs that are too large for fp16.
};

constexpr int batches_in_run = 28;
const run::OptionValues adamw{{"learning_rate", "0.01"}, {"weight_decay", "0.05"}};

/// 10 updates: of three batches each, the last of one.
run::RunConfig recipe_of(const std::string& model, const run::OptionValues& options,
                         const char* precision) {
  return resolve_defaults({.model = model,
                           .dataset = "synthetic",
                           .optimizer = "adamw",
                           .batch = 4,
                           .accumulate = 3,
                           .clip_norm = 0.05,
                           .schedule = "linear",
                           .warmup_updates = 2,
                           .precision = precision,
                           .model_options = options,
                           .optimizer_options = adamw});
}

const run::OptionValues small_text{
    {"layers", "2"},      {"hidden", "24"},     {"heads", "4"},   {"intermediate", "40"},
    {"vocabulary", "60"}, {"positions", "16"},  {"length", "13"}, {"labels", "3"},
    {"dropout", "0"},     {"head_dropout", "0"}};

std::vector<Samples> make_batches(const RecipeCase& c) {
  const auto spec = models::all().at(c.config.model).input(c.config.model_options);
  auto shape = spec.shape;
  shape.insert(shape.begin(), c.config.batch);
  std::vector<Samples> batches;
  for (int i = 0; i < batches_in_run; ++i) {
    const auto inputs = spec.vocabulary > 0
                            ? torch::randint(5, spec.vocabulary, shape, torch::kLong)
                            : torch::randn(shape) * (i == c.unbearable ? 1e6 : 1.0);
    batches.push_back({inputs, torch::randint(spec.classes, {c.config.batch}, torch::kLong)});
    if (spec.vocabulary > 0) {
      batches.back().mask = torch::ones(shape, torch::kBool);
    }
  }
  return batches;
}

std::unique_ptr<Network> seeded_network(const run::RunConfig& config) {
  torch::manual_seed(7);
  return make_network(config);
}

class Parity {
 public:
  explicit Parity(RecipeCase c)
      : case_(std::move(c)),
        plan_(case_.config, batches_in_run),
        network_(seeded_network(case_.config)) {
    batches_ = make_batches(case_);
    save_weights(folder_ / "ours.safetensors", network_->weights());
    NamedTensors packed;
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      const auto number = "." + std::to_string(i);
      packed.emplace_back("inputs" + number, batches_[i].inputs);
      packed.emplace_back("labels" + number, batches_[i].labels);
      if (batches_[i].mask.defined()) {
        packed.emplace_back("mask" + number, batches_[i].mask);
      }
    }
    save_weights(folder_ / "batches.safetensors", packed);
    nlohmann::json run;
    for (const auto& parameter : run::to_parameters(case_.config)) {
      run[parameter.name] = parameter.value;
    }
    std::ofstream(folder_ / "case.json") << nlohmann::json{{"model", case_.config.model},
                                                           {"options", case_.config.model_options},
                                                           {"run", run},
                                                           {"batches", batches_in_run},
                                                           {"updates", plan_.in_run()}};
  }

  const std::string& folder() const { return folder_.path(); }

  void compare() {
    SCOPED_TRACE(case_.name);
    auto losses = torch::empty({batches_in_run});
    NamedTensors theirs{{"losses", losses}};
    for (const auto& [name, parameter] : network_->parameters()) {
      theirs.emplace_back("weight." + name, torch::empty_like(parameter, torch::kFloat));
    }
    const torch::NoGradGuard no_grad;
    load_weights(folder_ / "theirs.safetensors", theirs, {});
    const auto said = nlohmann::json::parse(bytes_of(folder_ / "theirs.json"));
    train(losses, said["rates"]);
    for (std::size_t i = 0; const auto& [name, parameter] : network_->parameters()) {
      EXPECT_LT((parameter - theirs[++i].second).abs().max().item<double>(), case_.tolerance)
          << name;
    }
    EXPECT_EQ(network_->skipped_updates(), case_.unbearable < 0 ? 0 : 1);
    for (const auto& [name, tensor] : network_->state()) {
      if (name == "loss_scale.factor") {
        EXPECT_EQ(tensor.item<double>(), said["scale"].get<double>());
      }
    }
  }

 private:
  void train(const Tensor& losses, const std::vector<double>& rates) {
    const torch::AutoGradMode gradients(true);
    const double full_rate = std::stod(case_.config.optimizer_options.at("learning_rate"));
    for (int i = 0; i < batches_in_run; ++i) {
      const train::Position place{0, i};
      const auto update = plan_.before(place) - network_->skipped_updates();
      const double factor = plan_.learning_rate_factor(update);
      EXPECT_NEAR(full_rate * factor, rates.at(std::size_t(plan_.before(place))), 1e-12);
      network_->optimizers().front()->scale_learning_rate(factor);
      const auto& batch = batches_[std::size_t(i)];
      const double ours = network_->step(batch, plan_.role(place))[0].item<double>() / 4;
      const double theirs = losses[i].item<double>();
      EXPECT_TRUE(std::abs(ours - theirs) < case_.tolerance || (ours != ours && theirs != theirs))
          << "batch " << i << ": " << ours << " for " << theirs;
    }
  }

  RecipeCase case_;
  train::UpdatePlan plan_;
  TemporaryFolder folder_;
  std::unique_ptr<Network> network_;
  std::vector<Samples> batches_;
};

// One test, since starting transformers takes longer than all the rest.
TEST(Recipe, TrainsAsPyTorchAndTransformersDo) {
  const auto python = tests::python_with("transformers");
  if (!python) {
    GTEST_SKIP()
        << "no Python with transformers: env/test installs it, EPOCHCAST_PYTHON names another";
  }
  at::set_num_threads(1);
  const run::OptionValues deep{{"depth", "6"}};
  auto free = recipe_of("mlp", deep, "fp16");
  free.clip_norm = 0;
  std::vector<std::unique_ptr<Parity>> runs;
  for (const auto& c :
       std::vector<RecipeCase>{{"text", recipe_of("distilbert", small_text, "fp32"), 1e-5},
                               {"bf16", recipe_of("mlp", deep, "bf16"), 1e-4},
                               {"fp16", recipe_of("mlp", deep, "fp16"), 1e-4},
                               {"fp16, one update skipped", free, 1e-4, /*unbearable=*/13}}) {
    runs.push_back(std::make_unique<Parity>(c));
  }
  auto command = *python + " " EPOCHCAST_SOURCE_DIR "/tests/python/recipe_reference.py";
  for (const auto& run : runs) {
    command += " " + run->folder();
  }
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  for (const auto& run : runs) {
    run->compare();
  }
}

TEST(ClipNorm, ShortensWhatIsTooLongOnly) {
  const std::vector<Tensor> gradients{torch::tensor({3.0, 0.0}), torch::tensor({{4.0}})};
  clip_norm(gradients, 6);
  EXPECT_TRUE(torch::equal(gradients[0], torch::tensor({3.0, 0.0})));
  clip_norm(gradients, 1);
  EXPECT_TRUE(torch::allclose(gradients[0], torch::tensor({0.6, 0.0})));
  EXPECT_TRUE(torch::allclose(gradients[1], torch::tensor({{0.8}})));
}

}  // namespace
}  // namespace epochcast::libtorch
