// The data set "images" through the registry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/training/image/png_write.hpp"
#include "src/training/torch/data/dataset.hpp"
#include "src/training/torch/network/about.hpp"
#include "src/training/torch/run/workload.hpp"
#include "tests/src/training/image/test_folder.hpp"

namespace epochcast::libtorch {
namespace {

using image::test::TestFolder;
using ::testing::HasSubstr;

std::unique_ptr<Dataset> open(const run::OptionValues& options,
                              std::vector<std::int64_t> input = {3, 2, 2}, bool refuse = false) {
  const DatasetSpec& spec = datasets::all().at("images");
  return spec.open({.options = run::complete_options(options, spec.options, "dataset", "images"),
                    .input = {.shape = std::move(input)},
                    .threads = 2,
                    .refuse_bad_files = refuse});
}

std::string option_error(const run::OptionValues& options,
                         std::vector<std::int64_t> input = {3, 2, 2}, bool refuse = false) {
  try {
    open(options, std::move(input), refuse);
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

/// 4 classes of 10 pictures of one colour: red = 10 * class + number.
void write_classes(const TestFolder& folder) {
  for (int label = 0; label < 4; ++label) {
    for (int number = 0; number < 10; ++number) {
      image::Image image{2, 2};
      for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
        image.pixels[i] = std::uint8_t(10 * label + number);
      }
      const std::string name = std::to_string(label) + "/" + std::to_string(number) + ".png";
      folder.write(name, "");
      image::write_png(folder.path(name), image);
    }
  }
}

std::vector<std::int64_t> in_order(std::int64_t count) {
  std::vector<std::int64_t> order(std::size_t(count), 0);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

TEST(ImagesDataset, ScalesAsToTensorAndNormalizeDo) {
  const TestFolder folder;
  write_classes(folder);
  for (const char* cache : {"", "0B"}) {
    const auto data = open({{"path", folder.path()}, {"cache", cache}});
    data->start({17, 3}, 2);
    const Samples batch = data->next();
    ASSERT_EQ(batch.inputs.sizes(), (std::vector<std::int64_t>{2, 3, 2, 2}));
    const auto bytes = torch::tensor({17.0F, 0.0F, 0.0F, 3.0F, 0.0F, 0.0F}).reshape({2, 3, 1, 1});
    EXPECT_TRUE(torch::equal(batch.inputs, bytes.div(255).sub(0.5).div(0.5).expand({2, 3, 2, 2})));
    EXPECT_TRUE(torch::equal(batch.labels, torch::tensor({1, 0}, torch::kInt64)));
    EXPECT_FALSE(data->next().inputs.defined());
  }
}

/// The published programs decode in their epochs, within the time that they measure.
TEST(ImagesDataset, DecodesNothingAheadWithTheReferenceProcedure) {
  const TestFolder folder;
  write_classes(folder);
  const auto notes_with = [&](const std::string& procedure, const std::string& cache) {
    run::RunConfig config{.model = "dcgan", .dataset = "images", .procedure = procedure};
    config.dataset_options = {{"path", folder.path()}, {"cache", cache}};
    return join(make_workload(resolve_defaults(config), {}, 1)->notes(), "; ");
  };
  EXPECT_THAT(notes_with("reference", ""), HasSubstr("decoded in every epoch"));
  EXPECT_THAT(notes_with("reference", "1M"), HasSubstr("decoded once"));
  EXPECT_THAT(notes_with("optimized", ""), HasSubstr("decoded once"));
}

TEST(ImagesDataset, GivesAShortLastBatchAndCanStartAgain) {
  const TestFolder folder;
  write_classes(folder);
  const auto data = open({{"path", folder.path()}, {"cache", "0B"}});
  for (int epoch = 0; epoch < 2; ++epoch) {
    data->start(in_order(40), 16);
    EXPECT_EQ(data->next().inputs.size(0), 16);
    EXPECT_EQ(data->next().inputs.size(0), 16);
    EXPECT_EQ(data->next().inputs.size(0), 8);
    EXPECT_FALSE(data->next().inputs.defined());
  }
}

TEST(ImagesDataset, ALimitTakesTheSamePartOfAllClassesEveryTime) {
  const TestFolder folder;
  write_classes(folder);
  const auto labels_of = [&] {
    const auto data = open({{"path", folder.path()}, {"limit", "20"}});
    EXPECT_EQ(data->size(), 20);
    data->start(in_order(20), 20);
    return data->next();
  };
  const Samples first = labels_of();
  const Samples second = labels_of();
  EXPECT_TRUE(torch::equal(first.inputs, second.inputs));
  EXPECT_EQ(std::get<0>(torch::_unique(first.labels)).size(0), 4);
  EXPECT_EQ(std::get<0>(torch::_unique(first.inputs.select(1, 0).flatten())).size(0), 20);
}

TEST(ImagesDataset, HoldsOutTheSamePartEveryTime) {
  const TestFolder folder;
  write_classes(folder);
  const auto reds = [&](bool held_out) {
    const auto data = open({{"path", folder.path()}, {"held_out", "0.25"}});
    Dataset& part = held_out ? *data->held_out() : *data;
    part.start(in_order(part.size()), 40);
    const auto values = part.next().inputs.select(1, 0).flatten();
    return std::get<0>(torch::_unique(values));
  };
  EXPECT_EQ(reds(true).size(0), 10);
  EXPECT_TRUE(torch::equal(reds(true), reds(true)));
  EXPECT_EQ(std::get<0>(torch::_unique(torch::cat({reds(true), reds(false)}))).size(0), 40)
      << "a picture is in both parts";
  EXPECT_THAT(option_error({{"path", folder.path()}, {"held_out", "1"}}),
              HasSubstr("dataset.held_out: found 1, which leaves none of 40 images for training"));
}

TEST(ImagesDataset, BadInputIsOneClearLine) {
  const TestFolder folder;
  write_classes(folder);
  folder.write("3/broken.png", "x");
  EXPECT_THAT(option_error({}), HasSubstr("dataset.path: not given"));
  EXPECT_THAT(option_error({{"path", folder.path("none")}}), HasSubstr("no such folder of images"));
  EXPECT_THAT(option_error({{"path", folder.path()}}, {1, 28, 28}),
              HasSubstr("needs samples of shape 1 x 28 x 28"));
  EXPECT_THAT(option_error({{"path", folder.path()}}, {3, 2, 2}, true),
              HasSubstr("3/broken.png: found neither"));
  EXPECT_THAT(option_error({{"path", folder.path()}, {"cache", "12"}}), HasSubstr("dataset.cache"));
  EXPECT_THAT(option_error({{"path", folder.path()}, {"limit", "-1"}}), HasSubstr("dataset.limit"));
}

TEST(ImagesDataset, ABrokenFileIsSkippedAndNamed) {
  const TestFolder folder;
  write_classes(folder);
  folder.write("3/broken.png", "x");
  const auto data = open({{"path", folder.path()}});
  EXPECT_EQ(data->size(), 40);
  EXPECT_THAT(data->notes().back(), HasSubstr("skipped " + folder.path("3/broken.png")));
}

}  // namespace
}  // namespace epochcast::libtorch
