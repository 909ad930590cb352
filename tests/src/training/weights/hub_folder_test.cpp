// Folders as a hub lays them out.
#include "src/training/weights/hub_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/files.hpp"

namespace epochcast::weights {
namespace {

using ::testing::ElementsAre;

class HubFolder : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    set_bytes(folder / name, text);
  }
  std::string error() const {
    return error_of([&] { find_weight_files(folder.path()); });
  }
  const TemporaryFolder folder;
};

TEST_F(HubFolder, HasItsConfigurationBesideOneFileOrSeveral) {
  write(
      "model.safetensors.index.json",
      R"({"weight_map": {"a": "model-2.safetensors", "b": "model-1.safetensors", "c": "model-2.safetensors"}})");
  EXPECT_EQ(find_weight_files(folder.path()).config, "");
  EXPECT_THAT(find_weight_files(folder.path()).tensors,
              ElementsAre(folder / "model-1.safetensors", folder / "model-2.safetensors"));
  write("config.json", "{}");
  write("model.safetensors", "");
  EXPECT_EQ(find_weight_files(folder.path()).config, folder / "config.json");
  EXPECT_THAT(find_weight_files(folder.path()).tensors, ElementsAre(folder / "model.safetensors"));
  EXPECT_THAT(find_weight_files(folder / "model.safetensors").tensors,
              ElementsAre(folder / "model.safetensors"));
}

TEST_F(HubFolder, TakesFilesOfTorchSaveWhereThereAreNoSafetensors) {
  write("pytorch_model.bin.index.json",
        R"({"weight_map": {"a": "part-2.bin", "b": "part-1.bin", "c": "part-2.bin"}})");
  EXPECT_THAT(find_weight_files(folder.path()).tensors,
              ElementsAre(folder / "part-1.bin", folder / "part-2.bin"));
  write("pytorch_model.bin", "");
  EXPECT_THAT(find_weight_files(folder.path()).tensors, ElementsAre(folder / "pytorch_model.bin"));
  write("model.safetensors", "");
  EXPECT_THAT(find_weight_files(folder.path()).tensors, ElementsAre(folder / "model.safetensors"));
}

TEST_F(HubFolder, NamesWhatIsWrong) {
  EXPECT_EQ(error(), folder.path() + ": has neither model.safetensors nor pytorch_model.bin");
  const auto index = folder / "model.safetensors.index.json";
  write("model.safetensors.index.json", R"({"weight_map": {"a": "../secret.safetensors"}})");
  EXPECT_EQ(
      error(),
      index + ": tensor \"a\": found \"../secret.safetensors\", expected a file beside the index");
  write("model.safetensors.index.json", R"({"weight_map": 7})");
  EXPECT_EQ(error(), index + ": tensor \"\": found \"\", expected a file beside the index");
  write("model.safetensors.index.json", "{}");
  EXPECT_EQ(error(), index + ": expected a weight_map of files by tensor");
  EXPECT_EQ(error_of([&] { find_weight_files(folder / "none"); }),
            folder / "none" +
                ": no weights there: expected a file of safetensors or torch.save, or a "
                "folder of them");
}

TEST_F(HubFolder, ConfigurationMustStateWhatTheModelHas) {
  write("config.json", R"({"heads": 12, "eps": 1e-12, "act": "gelu", "more": [{}]})");
  const auto check = [&](const HubConfig& expected) {
    check_hub_config(folder / "config.json", expected);
  };
  EXPECT_NO_THROW(check({{"heads", "12"}, {"eps", "1e-12"}, {"act", "gelu"}, {"absent", "1"}}));
  EXPECT_EQ(error_of([&] {
              check({{"heads", "4"}});
            }),
            folder / "config.json" + ": heads: found \"12\", expected 4 as the model has it");
  EXPECT_EQ(error_of([&] {
              check({{"act", "relu"}});
            }),
            folder / "config.json" + ": act: found \"gelu\", expected relu as the model has it");
}

TEST_F(HubFolder, NamesItsClassesInTheOrderOfTheirNumbers) {
  const auto labels = [&](const std::string& config) {
    write("config.json", config);
    return hub_labels(folder / "config.json");
  };
  EXPECT_THAT(labels(R"({"id2label": {"10": "k", "0": "a", "1": "b", "2": "c", "3": "d", "4": "e",
                         "5": "f", "6": "g", "7": "h", "8": "i", "9": "j"}})"),
              ElementsAre("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"));
  EXPECT_THAT(labels("{}"), ElementsAre());
  EXPECT_THAT(labels(R"({"id2label": null})"), ElementsAre());
  const auto message = [&](const std::string& config) { return error_of([&] { labels(config); }); };
  EXPECT_EQ(message(R"({"id2label": {"0": "a", "2": "b"}})"),
            folder / "config.json: id2label: expected a text for class 1");
  EXPECT_EQ(message(R"({"id2label": {"0": 7}})"),
            folder / "config.json: id2label: expected a text for class 0");
  for (const auto* other :
       {R"({"id2label": ["a"]})", R"({"id2label": {}})", R"({"id2label": "a"})"}) {
    EXPECT_THAT(message(other), ::testing::HasSubstr("id2label: expected an object"));
  }
}

}  // namespace
}  // namespace epochcast::weights
