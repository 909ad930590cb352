// A network that answers single texts and pictures, through the interface of the service.
#include "src/training/torch/run/predictor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <thread>

#include "src/base/core/csv.hpp"
#include "src/base/core/error.hpp"
#include "src/training/text/text_file.hpp"
#include "src/training/torch/network/about.hpp"
#include "src/training/torch/network/weights.hpp"
#include "src/training/torch/run/workload.hpp"
#include "tests/files.hpp"
#include "tests/src/training/image/fixtures.hpp"
#include "tests/src/training/torch/networks.hpp"

namespace epochcast::libtorch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace pictures = image::test;

const std::string texts_folder = EPOCHCAST_SOURCE_DIR "/experiments/texts";

run::RunConfig small_distilbert(const std::string& dataset = "") {
  return {.model = "distilbert",
          .dataset = dataset,
          .model_options = {{"layers", "2"},
                            {"hidden", "24"},
                            {"heads", "4"},
                            {"intermediate", "40"},
                            {"vocabulary", "60"},
                            {"positions", "16"}},
          .dataset_options = {{"vocabulary", texts_folder + "/vocab.txt"}}};
}

run::RunConfig small_deit() {
  return {.model = "deit_tiny",
          .dataset = "",
          .model_options = {{"layers", "1"}, {"labels", "3"}, {"size", "32"}}};
}

std::vector<serve::Scores> answers_of(serve::Predictor& predictor,
                                      const std::vector<std::string>& items) {
  std::vector<std::unique_ptr<serve::Input>> owned;
  std::vector<const serve::Input*> inputs;
  for (const auto& item : items) {
    owned.push_back(predictor.prepare(item));
    inputs.push_back(owned.back().get());
  }
  return predictor.predict(inputs);
}

void expect_near(const serve::Scores& found, const serve::Scores& expected, double most = 1e-5) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], most);
  }
}

/// Texts of 2 to 16 tokens.
std::vector<std::string> texts_of_all_lengths() {
  std::vector<std::string> texts;
  for (const int words : {14, 0, 3, 1, 9, 2, 14, 5, 0, 7, 30}) {
    texts.emplace_back();
    for (int i = 0; i < words; ++i) {
      texts.back() += i % 2 == 0 ? "moving " : "clever ";
    }
  }
  return texts;
}

TEST(Predictor, AnswersABatchOfAnyLengthsAsOneByOne) {
  const auto opened = open_predictor(small_distilbert(), 1);
  const auto texts = texts_of_all_lengths();
  const auto together = answers_of(*opened.predictor, texts);
  ASSERT_EQ(together.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_NEAR(std::accumulate(together[i].begin(), together[i].end(), 0.0), 1, 1e-5);
    expect_near(together[i], answers_of(*opened.predictor, {texts[i]}).front());
  }
  EXPECT_THAT(together[0], ::testing::Not(ElementsAre(together[1][0], together[1][1])));
}

TEST(Predictor, AnswersMoreTextsThanFitIntoAPassInTheirOrder) {
  const auto opened = open_predictor(small_distilbert(), 1);
  const auto kinds = texts_of_all_lengths();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 200; ++i) {  // several times the tokens of a pass
    texts.push_back(kinds[i % kinds.size()]);
  }
  const auto together = answers_of(*opened.predictor, texts);
  ASSERT_EQ(together.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    expect_near(together[i], answers_of(*opened.predictor, {texts[i]}).front());
  }
}

TEST(Predictor, AnswersNothingToNothing) {
  const auto opened = open_predictor(small_distilbert(), 1);
  EXPECT_TRUE(answers_of(*opened.predictor, {}).empty());
}

TEST(Predictor, CutsTextsAtTheLongestThatTheNetworkTakes) {
  const auto opened = open_predictor(small_distilbert(), 1);
  std::string words;
  for (int i = 0; i < 1000; ++i) {
    words += "moving ";
  }
  EXPECT_EQ(opened.predictor->prepare(words)->length(), 16);
  EXPECT_EQ(opened.predictor->prepare("")->length(), 2);
  auto config = small_distilbert();
  config.model_options["length"] = "5";
  EXPECT_EQ(open_predictor(config, 1).predictor->prepare(words)->length(), 5);
  config = small_distilbert();
  config.model = "roberta";
  config.dataset_options["tokenizer"] = "wordpiece";
  EXPECT_EQ(open_predictor(config, 1).predictor->prepare(words)->length(), 14);
}

/// The same network, weights and texts through the other way to answers.
TEST(Predictor, AnswersAsAnInferenceOverTheDataSet) {
  const TemporaryFolder folder;
  auto config = small_distilbert("sst2");
  config.task = run::Task::infer;
  config.batch = 4;
  config.dataset_options["path"] = texts_folder;
  config.model_options["length"] = "16";
  const auto workload = make_workload(resolve_defaults(config), {}, 1);
  workload->parts().answers->open(folder / "point", "p-1", false);
  workload->start_epoch(0);
  while (workload->load_batch().samples > 0) {
    workload->step();
  }
  workload->parts().answers->merge();
  const auto opened = open_predictor(config, 1);
  const auto texts = parse_csv(bytes_of(folder / "point/answers.csv"));
  const auto samples = text::read_texts(texts_folder + "/dev.tsv");
  ASSERT_EQ(texts.size(), samples.texts.size() + 1);
  for (std::size_t i = 0; i < samples.texts.size(); ++i) {
    const auto scores = answers_of(*opened.predictor, {samples.texts[i]}).front();
    EXPECT_EQ(std::to_string(scores[1] > scores[0] ? 1 : 0), texts[i + 1][1]) << samples.texts[i];
  }
}

TEST(Predictor, AnswersOnAnyThreadAsOnItsOwn) {
  const auto opened = open_predictor(small_distilbert(), 2);
  const auto here = answers_of(*opened.predictor, {"a moving music"});
  std::vector<serve::Scores> there;
  std::thread([&] { there = answers_of(*opened.predictor, {"a moving music"}); }).join();
  EXPECT_EQ(here, there);
}

TEST(Predictor, TakesPicturesAndRefusesWhatIsNone) {
  const auto opened = open_predictor(small_deit(), 1);
  EXPECT_EQ(opened.predictor->kind(), serve::Kind::picture);
  const auto png = pictures::png_bytes(pictures::pattern(40, 30));
  const auto jpeg = pictures::jpeg_bytes(pictures::pattern(17, 90));
  const auto answers = answers_of(*opened.predictor, {png, jpeg, png});
  ASSERT_EQ(answers.size(), 3);
  expect_near(answers[0], answers[2], 1e-6);
  EXPECT_NE(answers[0], answers[1]);
  expect_near(answers[1], answers_of(*opened.predictor, {jpeg}).front());
  EXPECT_THAT(error_of([&] { opened.predictor->prepare(png.substr(0, 200)); }),
              HasSubstr("picture: damaged PNG"));
  EXPECT_THAT(error_of([&] { opened.predictor->prepare("no picture"); }),
              HasSubstr("found neither PNG nor JPEG"));
  EXPECT_THAT(error_of([&] { opened.predictor->prepare(""); }), HasSubstr("empty"));
}

/// A header that claims 40 million pixels and more: as a file of a data set it is allowed.
TEST(Predictor, RefusesAPictureThatWouldTakeTooMuchMemory) {
  const auto opened = open_predictor(small_deit(), 1);
  auto jpeg = pictures::jpeg_bytes(pictures::pattern(200, 200));
  const auto header = jpeg.find("\xff\xc0");  // then 3 bytes, height and width
  ASSERT_NE(header, std::string::npos);
  jpeg.replace(header + 5, 4, "\x0f\xa1\x27\x10");
  EXPECT_THAT(error_of([&] { opened.predictor->prepare(jpeg); }),
              HasSubstr("10000 x 4001 pixels, expected at most 40 million"));
}

TEST(Predictor, NamesTheClassesByTheModelFolderElseTheDataSetElseTheirNumbers) {
  EXPECT_THAT(open_predictor(small_distilbert(), 1).predictor->labels(), ElementsAre("0", "1"));
  EXPECT_THAT(open_predictor(small_distilbert("sst2"), 1).predictor->labels(),
              ElementsAre("NEGATIVE", "POSITIVE"));
  EXPECT_THAT(open_predictor(small_deit(), 1).predictor->labels(), ElementsAre("0", "1", "2"));

  const TemporaryFolder folder;
  auto config = small_distilbert("sst2");
  save_weights(folder / "model.safetensors", make_network(complete_for_answers(config))->weights());
  config.weights = folder.path();
  set_bytes(folder / "config.json", R"({"id2label": {"1": "good", "0": "bad"}, "n_heads": 4})");
  EXPECT_THAT(open_predictor(config, 1).predictor->labels(), ElementsAre("bad", "good"));
  set_bytes(folder / "config.json", R"({"n_heads": 4})");
  EXPECT_THAT(open_predictor(config, 1).predictor->labels(), ElementsAre("NEGATIVE", "POSITIVE"));
  set_bytes(folder / "config.json", R"({"id2label": {"0": "a", "1": "b", "2": "c"}})");
  EXPECT_THAT(error_of([&] { open_predictor(config, 1); }),
              HasSubstr("config.json: id2label: found 3 labels, expected 2"));
}

TEST(Predictor, HasTheDigestOfItsFilesWhereverTheyLie) {
  const TemporaryFolder folder;
  auto config = complete_for_answers(small_distilbert());
  const auto of_random = digest_of_model(config);
  const auto in_folder = [&](const std::string& name, const std::string& weights,
                             const std::string& settings) {
    std::filesystem::create_directory(folder / name);
    set_bytes(folder / name + "/model.safetensors", weights);
    set_bytes(folder / name + "/config.json", settings);
    config.weights = folder / name;
    return digest_of_model(config);
  };
  const auto of_folder = in_folder("one", "weights 1", "{}");
  EXPECT_NE(of_folder, of_random);
  EXPECT_EQ(in_folder("copy", "weights 1", "{}"), of_folder) << "another place, another time";
  EXPECT_NE(in_folder("one", "weights 2", "{}"), of_folder) << "the same size and place";
  EXPECT_NE(in_folder("one", "weights 1", R"({"id2label": {}})"), of_folder);
  set_bytes(folder / "copy/vocab.txt", "a");
  EXPECT_NE(in_folder("copy", "weights 1", "{}"), of_folder);
  config.seed += 1;
  EXPECT_NE(in_folder("one", "weights 1", "{}"), of_folder);
}

TEST(Predictor, SaysWhatDoesNotFit) {
  const auto error = [](const run::RunConfig& config) {
    return error_of([&] { open_predictor(config, 1); });
  };
  EXPECT_THAT(error({.model = "dcgan", .dataset = ""}), HasSubstr("dcgan: has no classes"));
  EXPECT_THAT(error({.model = "mlp", .dataset = ""}), HasSubstr("expected a model for texts or"));
  EXPECT_THAT(error({.model = "distilbret", .dataset = ""}),
              HasSubstr("did you mean 'distilbert'"));
  EXPECT_THAT(error(small_distilbert("images")), HasSubstr("dataset"));
  auto config = small_distilbert();
  config.dataset_options.clear();
  EXPECT_THAT(error(config), HasSubstr("dataset.vocabulary: not given"));
  config = small_distilbert();
  config.weights = "/nowhere";
  EXPECT_THAT(error(config), HasSubstr("/nowhere: no weights there"));
  EXPECT_THAT(open_predictor(small_distilbert(), 1).notes,
              ElementsAre(HasSubstr("random weights")));
}

TEST(Predictor, DoesNotAnswerWithADivergedNetwork) {
  const TemporaryFolder folder;
  auto config = small_distilbert();
  const auto network = make_network(complete_for_answers(small_distilbert()));
  const torch::NoGradGuard no_grad;
  torch::Tensor(network->parameters().back().second).fill_(std::nan(""));
  config.weights = folder / "nan.safetensors";
  save_weights(config.weights, network->weights());
  const auto opened = open_predictor(config, 1);
  EXPECT_THAT(error_of([&] { answers_of(*opened.predictor, {"a"}); }),
              HasSubstr("output is not finite"));
}

}  // namespace
}  // namespace epochcast::libtorch
