// The DCGAN to the letter: shapes and names of its parameters, the optimized step against the
// reference's, and both against the published code in PyTorch (tests/python/dcgan_reference.py).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/training/torch/network/model.hpp"
#include "tests/src/training/torch/networks.hpp"

namespace epochcast::libtorch {
namespace {

using torch::Tensor;
using Losses = std::vector<std::pair<double, double>>;  // loss_d, loss_g a step

std::unique_ptr<Network> make_dcgan(Procedure procedure, const std::string& width = "64") {
  const NetworkContext context{
      .options = {{"latent", "100"}, {"width", width}},
      .procedure = procedure,
      .optimizer = {
          "adam",
          {{"learning_rate", "0.005"}, {"beta1", "0.5"}, {"beta2", "0.999"}, {"epsilon", "1e-8"}}}};
  torch::manual_seed(7);
  return models::all().at("dcgan").make(context);
}

/// All that is computed in the scope has this precision.
std::vector<Tensor> make_batches(int count, std::int64_t samples) {
  std::vector<Tensor> batches;
  for (int i = 0; i < count; ++i) {
    batches.push_back(torch::rand({samples, 3, 64, 64}) * 2 - 1);
  }
  return batches;
}

Losses train(Network& network, const std::vector<Tensor>& batches) {
  Losses losses;
  for (const auto& batch : batches) {
    const auto step = network.step({batch, {}});
    losses.emplace_back(step[0].item<double>(), step[1].item<double>());
  }
  return losses;
}

void expect_near(const Losses& ours, const Losses& theirs, double tolerance) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_NEAR(ours[i].first, theirs[i].first, tolerance * theirs[i].first)
        << "loss_d, step " << i;
    EXPECT_NEAR(ours[i].second, theirs[i].second, tolerance * theirs[i].second)
        << "loss_g, step " << i;
  }
}

TEST(Dcgan, HasThePublishedParametersByNameAndShape) {
  using Shape = std::vector<std::int64_t>;
  const std::vector<std::pair<std::string, Shape>> published{
      {"net_G.0.conv2d_trans.weight", {100, 512, 4, 4}},
      {"net_G.0.batch_norm.weight", {512}},
      {"net_G.0.batch_norm.bias", {512}},
      {"net_G.1.conv2d_trans.weight", {512, 256, 4, 4}},
      {"net_G.1.batch_norm.weight", {256}},
      {"net_G.1.batch_norm.bias", {256}},
      {"net_G.2.conv2d_trans.weight", {256, 128, 4, 4}},
      {"net_G.2.batch_norm.weight", {128}},
      {"net_G.2.batch_norm.bias", {128}},
      {"net_G.3.conv2d_trans.weight", {128, 64, 4, 4}},
      {"net_G.3.batch_norm.weight", {64}},
      {"net_G.3.batch_norm.bias", {64}},
      {"net_G.4.weight", {64, 3, 4, 4}},
      {"net_D.0.conv2d.weight", {64, 3, 4, 4}},
      {"net_D.0.batch_norm.weight", {64}},
      {"net_D.0.batch_norm.bias", {64}},
      {"net_D.1.conv2d.weight", {128, 64, 4, 4}},
      {"net_D.1.batch_norm.weight", {128}},
      {"net_D.1.batch_norm.bias", {128}},
      {"net_D.2.conv2d.weight", {256, 128, 4, 4}},
      {"net_D.2.batch_norm.weight", {256}},
      {"net_D.2.batch_norm.bias", {256}},
      {"net_D.3.conv2d.weight", {512, 256, 4, 4}},
      {"net_D.3.batch_norm.weight", {512}},
      {"net_D.3.batch_norm.bias", {512}},
      {"net_D.4.weight", {1, 512, 4, 4}},
  };
  std::vector<std::pair<std::string, Shape>> ours;
  std::map<char, std::int64_t> counts;
  for (const auto& [name, parameter] : make_dcgan(Procedure::optimized)->parameters()) {
    ours.emplace_back(name, parameter.sizes().vec());
    counts[name[4]] += parameter.numel();
  }
  EXPECT_EQ(ours, published);
  EXPECT_EQ(counts['G'], 3'576'704);
  EXPECT_EQ(counts['D'], 2'765'696);
}

TEST(Dcgan, DrawsAllParametersFromTheSameNormal) {
  for (const auto& [name, parameter] : make_dcgan(Procedure::reference)->parameters()) {
    const double spread = 0.02 / std::sqrt(double(parameter.numel()));
    EXPECT_NEAR(parameter.mean().item<double>(), 0, 5 * spread) << name;
    EXPECT_NEAR(parameter.std().item<double>(), 0.02, 5 * spread) << name;
  }
}

// In double precision: in single the two-player game amplifies rounding so optimized that PyTorch
// does not agree with itself between two memory formats beyond the third step.
TEST(Dcgan, FastComputesTheLabsNumbersAndState) {
  const DefaultType precision(torch::kDouble);
  at::set_num_threads(1);
  const auto batches = make_batches(5, 3);
  const auto reference =
      make_dcgan(Procedure::reference, "32");  // wide enough for every way of convolving
  const auto reference_losses = train(*reference, batches);
  const auto optimized = make_dcgan(Procedure::optimized, "32");
  expect_near(train(*optimized, batches), reference_losses, 1e-9);

  const auto reference_state = reference->state();
  const auto optimized_state = optimized->state();
  ASSERT_EQ(reference_state.size(), optimized_state.size());
  for (std::size_t i = 0; i < reference_state.size(); ++i) {
    const auto& [name, expected] = reference_state[i];
    EXPECT_EQ(optimized_state[i].first, name);
    EXPECT_TRUE(torch::allclose(optimized_state[i].second, expected, 1e-6, 1e-9)) << name;
  }
}

std::string python() {
  if (const char* given = std::getenv("EPOCHCAST_PYTHON")) {
    return given;
  }
  return EPOCHCAST_SOURCE_DIR "/.deps/python/bin/python";
}

Losses losses_of_published_code(const std::string& recorded) {
  const auto command =
      python() + " " EPOCHCAST_SOURCE_DIR "/tests/python/dcgan_reference.py " + recorded;
  std::FILE* pipe = popen(command.c_str(), "r");
  Losses losses;
  double loss_d = 0;
  double loss_g = 0;
  while (std::fscanf(pipe, "%lf %lf", &loss_d, &loss_g) == 2) {
    losses.emplace_back(loss_d, loss_g);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return losses;
}

/// Weights, random state and batches, as dcgan_reference.py replays them.
void record_start(const std::string& path, const Network& network,
                  const std::vector<Tensor>& batches) {
  c10::Dict<std::string, Tensor> weights;
  for (const auto& [name, tensor] : network.state()) {
    weights.insert(name, tensor.detach().contiguous());
  }
  c10::impl::GenericDict all(c10::StringType::get(), c10::AnyType::get());
  all.insert("weights", weights);
  all.insert("batches", c10::List<Tensor>(batches));
  all.insert("random", at::globalContext().defaultGenerator(torch::kCPU).get_state());
  const auto bytes = torch::pickle_save(all);
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

struct Parity {
  const char* name;
  Procedure procedure;
  torch::ScalarType type;
  const char* width;
};
void PrintTo(const Parity& parity, std::ostream* out) {
  *out << parity.name;
}
class DcganParity : public testing::TestWithParam<Parity> {};

TEST_P(DcganParity, TwentyStepsAgreeWithThePublishedCode) {
  if (std::system((python() + " -c 'import torch' 2> /dev/null").c_str()) != 0) {
    GTEST_SKIP() << python()
                 << " has no torch: env/test installs it, EPOCHCAST_PYTHON names another";
  }
  const auto& [name, procedure, type, width] = GetParam();
  const DefaultType precision(type);
  at::set_num_threads(1);
  const auto batches = make_batches(20, 3);
  const auto network = make_dcgan(procedure, width);
  const auto path = testing::TempDir() + "epochcast_parity_" + name + ".pt";
  record_start(path, *network, batches);
  const auto ours = train(*network, batches);
  expect_near(ours, losses_of_published_code(path), 1e-4);
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(
    , DcganParity,
    testing::Values(Parity{"reference_float", Procedure::reference, torch::kFloat, "64"},
                    Parity{"reference_double", Procedure::reference, torch::kDouble, "8"},
                    Parity{"optimized_double", Procedure::optimized, torch::kDouble, "32"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace epochcast::libtorch
