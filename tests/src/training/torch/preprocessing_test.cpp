// The preprocessing that every image model declares, through its data set, beside the processors of
// transformers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "src/training/torch/network/model.hpp"
#include "tests/python.hpp"
#include "tests/src/training/image/fixtures.hpp"
#include "tests/src/training/image/made_cifar.hpp"

namespace epochcast::libtorch {
namespace {

using image::test::TestFolder;
using ::testing::HasSubstr;

SampleSpec input_of(const std::string& model, const run::OptionValues& given = {}) {
  const auto& spec = models::all().at(model);
  return spec.input(run::complete_options(given, spec.options, "model", model));
}

std::unique_ptr<Dataset> open_for(const SampleSpec& input, const std::string& dataset,
                                  const run::OptionValues& options,
                                  const std::string& task = "train") {
  const auto& spec = datasets::all().at(dataset);
  return spec.open({.options = run::complete_options(options, spec.options, "dataset", dataset),
                    .input = input,
                    .trains = task == "train",
                    .threads = 2});
}

/// Models of the same preprocessing in a row, in the order of the reference.
const std::vector<std::vector<std::string>> kinds{
    {"vit_base"},
    {"deit_tiny", "deit_small", "deit_base"},
    {"deit_tiny_distilled", "deit_base_distilled"},
    {"convnext_tiny", "convnext_small", "convnextv2_nano", "convnextv2_tiny"}};

TEST(ModelPreprocessing, IsThatOfTransformersToOneGrayLevel) {
  const auto python = tests::python_with("transformers, PIL, numpy");
  if (!python) {
    GTEST_SKIP() << "no Python with transformers: env/test installs it, or set EPOCHCAST_PYTHON";
  }
  const TestFolder folder;
  const std::vector<std::pair<int, int>> sizes{{32, 32}, {300, 200}, {199, 467}, {224, 224}};
  std::string files;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto name = "class/" + std::to_string(i) + ".png";
    folder.write(name,
                 image::test::png_bytes(image::test::pattern(sizes[i].first, sizes[i].second)));
    files += " '" + folder.path(name) + "'";
  }
  const auto command = "'" + *python +
                       "' -W ignore '" EPOCHCAST_SOURCE_DIR
                       "/tests/src/training/torch/preprocessing_reference.py' '" +
                       folder.path("out") + "'" + files;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream reference(folder.path("out"), std::ios::binary);
  for (const auto& models : kinds) {
    auto theirs = torch::empty({std::int64_t(sizes.size()), 3, 224, 224});
    ASSERT_TRUE(
        reference.read(static_cast<char*>(theirs.data_ptr()), std::streamsize(theirs.nbytes())));
    for (const auto& model : models) {
      const auto data = open_for(input_of(model), "images", {{"path", folder.path()}});
      data->start({0, 1, 2, 3}, 4);
      const auto ours = data->next().inputs;
      const auto grey_level = 1 / (255 * input_of(model).pictures.deviation[2]);
      EXPECT_LT((ours - theirs).abs().max().item<float>(), 1.01F * grey_level) << model;
      // one level is for Pillow's order of the axes, which changed with its version 13
      EXPECT_LT((ours - theirs).abs().mean().item<float>(), 0.02F * grey_level) << model;
    }
  }
}

TEST(Cifar10, IsResizedAheadForTheModelAndHeldOut) {
  const image::test::MadeCifar made;
  const auto input = input_of("deit_tiny", {{"size", "32"}, {"labels", "10"}});
  const run::OptionValues options{{"path", made.folder.path()}, {"limit", "8"}};
  const auto cached = open_for(input, "cifar10", options);
  EXPECT_EQ(cached->size(), 8);
  EXPECT_EQ(cached->held_out()->size(), 8);
  cached->start({1, 0}, 2);
  const auto batch = cached->next();
  EXPECT_EQ(batch.inputs.sizes(), (std::vector<std::int64_t>{2, 3, 32, 32}));
  EXPECT_TRUE(torch::equal(batch.labels, torch::tensor({0, 9}, torch::kLong)));
  EXPECT_FLOAT_EQ(batch.inputs[0][1][5][5].item<float>(), -0.456F / 0.224F);
  EXPECT_GT(batch.inputs[1].std().item<float>(), 0.1F);
  auto uncached_options = options;
  uncached_options["cache"] = "0B";
  const auto uncached = open_for(input, "cifar10", uncached_options);
  uncached->start({1, 0}, 2);
  EXPECT_TRUE(torch::equal(uncached->next().inputs, batch.inputs));
}

TEST(Cifar10, InferenceReadsTheTestImagesAlone) {
  const image::test::MadeCifar made;
  std::filesystem::remove(made.folder / "data_batch_1.bin");
  const run::OptionValues options{{"path", made.folder.path()}, {"limit", "8"}};
  const auto data = open_for(input_of("vit_base", {{"size", "32"}}), "cifar10", options, "infer");
  EXPECT_EQ(data->size(), 8);
  EXPECT_EQ(data->held_out(), nullptr);
}

TEST(Cifar10, BadInputIsOneClearLine) {
  const auto error = [](const SampleSpec& input, const run::OptionValues& options) {
    return error_of([&] { open_for(input, "cifar10", options); });
  };
  const image::test::MadeCifar made;
  const auto input = input_of("deit_tiny");
  EXPECT_THAT(error(input, {}), HasSubstr("dataset.path: not given; expected the folder"));
  EXPECT_THAT(error(input, {{"path", "/nowhere"}}),
              HasSubstr("/nowhere/batches.meta.txt: cannot be read"));
  EXPECT_THAT(
      error(input_of("deit_tiny", {{"labels", "5"}}), {{"path", made.folder.path()}}),
      HasSubstr("dataset cifar10: found labels up to 9, but the model distinguishes 5 classes"));
  EXPECT_THAT(error(input_of("minilm"), {{"path", made.folder.path()}}),
              HasSubstr("dataset cifar10: the model needs samples of shape 128"));
}

}  // namespace
}  // namespace epochcast::libtorch
