// The data sets of texts through the registry, with vocabularies made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "src/training/text/tokenizer.hpp"
#include "src/training/torch/network/model.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"
#include "tests/src/training/text/made_vocabulary.hpp"

namespace epochcast::libtorch {
namespace {

using ::testing::HasSubstr;

constexpr const char* vocabulary = "text/vocab/bert-base-uncased-vocab.txt";

std::vector<std::int64_t> indices(std::int64_t count) {
  std::vector<std::int64_t> all(std::size_t(count), 0);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::int64_t> numbers(const torch::Tensor& tensor) {
  return {tensor.const_data_ptr<std::int64_t>(),
          tensor.const_data_ptr<std::int64_t>() + tensor.numel()};
}

/// All batches of a pass in the data set's own arrangement.
std::vector<Samples> batches_of(Dataset& data, std::int64_t batch) {
  std::vector<Samples> batches;
  data.start(data.arranged(indices(data.size()), batch), batch);
  for (auto samples = data.next(); samples.inputs.defined(); samples = data.next()) {
    batches.push_back(samples);
  }
  return batches;
}

std::vector<std::int64_t> labels_of(Dataset& data) {
  std::vector<std::int64_t> labels;
  for (const auto& batch : batches_of(data, 4)) {
    const auto some = numbers(batch.labels);
    labels.insert(labels.end(), some.begin(), some.end());
  }
  return labels;
}

class TextDatasets : public ::testing::Test {
 protected:
  std::unique_ptr<Dataset> open(const std::string& name, run::OptionValues options,
                                const std::string& task = "train") {
    const auto& spec = datasets::all().at(name);
    options.insert({{"path", name == "sst2" ? folder_.path() : folder_ / "table.csv"},
                    {"vocabulary", vocabulary_.bert()}});
    return spec.open({.options = run::complete_options(options, spec.options, "dataset", name),
                      .input = input_,
                      .weights = weights_,
                      .trains = task == "train",
                      .threads = 2});
  }
  std::string error(const std::string& name, const run::OptionValues& options,
                    const std::string& task = "train") {
    return error_of([&] { open(name, options, task); });
  }
  void write(const std::string& file, const std::string& text) { set_bytes(folder_ / file, text); }
  void write_sst2() {
    write("train.tsv", "sentence\tlabel\nhello \t1\nhello running world unaffable \t0\nworld\t1\n");
    write("dev.tsv", "sentence\tlabel\nrunning\t0\ncafé\t1\n");
  }

  TemporaryFolder folder_;
  text::test::MadeVocabularies vocabulary_;
  SampleSpec input_{.shape = {16}, .vocabulary = 1000, .classes = 2, .tokenizer = "wordpiece"};
  std::string weights_;
};

TEST_F(TextDatasets, Sst2IsTokenizedAndPaddedBatchByBatch) {
  write_sst2();
  const auto data = open("sst2", {});
  const auto tokenizer = text::open_tokenizer("wordpiece", vocabulary_.bert());
  data->start({1, 0, 2}, 2);
  const auto first = data->next();
  auto longer = tokenizer->encode("hello running world unaffable", 16);
  auto shorter = tokenizer->encode("hello", 16);
  shorter.resize(longer.size(), tokenizer->padding());
  EXPECT_EQ(first.inputs.sizes(), (std::vector<std::int64_t>{2, std::ssize(longer)}));
  longer.insert(longer.end(), shorter.begin(), shorter.end());
  EXPECT_EQ(numbers(first.inputs), std::vector<std::int64_t>(longer.begin(), longer.end()));
  EXPECT_TRUE(torch::equal(first.mask.sum(1),
                           torch::tensor({std::int64_t(first.inputs.size(1)), std::int64_t(3)})));
  EXPECT_EQ(numbers(first.labels), (std::vector<std::int64_t>{0, 1}));
  const auto second = data->next();  // alone, nothing is filled up
  EXPECT_EQ(second.inputs.sizes(), (std::vector<std::int64_t>{1, 3}));
  EXPECT_FALSE(second.mask.defined());
  EXPECT_FALSE(data->next().inputs.defined());
  EXPECT_EQ(data->held_out()->size(), 2);
  EXPECT_EQ(labels_of(*data->held_out()), (std::vector<std::int64_t>{0, 1}));
}

TEST_F(TextDatasets, PaddingCanGoToWhatTheModelTakes) {
  write_sst2();
  const auto data = open("sst2", {{"padding", "model"}});
  data->start({2}, 1);
  const auto batch = data->next();
  EXPECT_EQ(batch.inputs.size(1), 16);
  EXPECT_EQ(batch.mask.sum().item<std::int64_t>(), 3);
}

TEST_F(TextDatasets, ATextOfTooManyTokensLosesItsEndAndANoteReportsIt) {
  write_sst2();
  input_.shape = {4};
  const auto data = open("sst2", {});
  data->start({1}, 1);
  const auto tokens = text::open_tokenizer("wordpiece", vocabulary_.bert())
                          ->encode("hello running world unaffable", 4);
  EXPECT_EQ(numbers(data->next().inputs), std::vector<std::int64_t>(tokens.begin(), tokens.end()));
  EXPECT_EQ(data->notes().front(), "3 texts of 3.3 tokens on average, 1 of them cut to 4");
}

TEST_F(TextDatasets, GroupsByLengthOnRequestWithoutLosingAny) {
  std::string text = "sentence\tlabel\n";
  for (int i = 0; i < 64; ++i) {
    for (int words = 0; words <= i * 7 % 10; ++words) {
      text += "hello ";
    }
    text += "\t1\n";
  }
  write_sst2();
  write("train.tsv", text);
  const auto filled_up = [&](const char* grouped) {
    const auto data = open("sst2", {{"group_by_length", grouped}});
    auto order = data->arranged(indices(64), 8);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, indices(64));
    std::int64_t count = 0;
    for (const auto& batch : batches_of(*data, 8)) {
      count += batch.mask.defined() ? (~batch.mask).sum().item<std::int64_t>() : 0;
    }
    return count;
  };
  EXPECT_LT(2 * filled_up("true"), filled_up("false"));
}

TEST_F(TextDatasets, InferenceNeedsTheHeldOutFileAloneAndNoLabels) {
  write("test.tsv", "index\tsentence\n0\thello\n1\tworld\n");
  const auto data = open("sst2", {{"held_out", "test.tsv"}}, "infer");
  EXPECT_EQ(data->size(), 2);
  EXPECT_EQ(data->held_out(), nullptr);
  data->start({0, 1}, 2);
  EXPECT_FALSE(data->next().labels.defined());
  EXPECT_THAT(error("sst2", {{"held_out", "test.tsv"}}),
              HasSubstr("test.tsv:1: found no column 'label', which a training is scored by"));
}

TEST_F(TextDatasets, TheVocabularyIsBesideTheWeights) {
  write_sst2();
  weights_ = vocabulary_.bert();
  const auto data = open("sst2", {{"vocabulary", ""}});
  EXPECT_EQ(data->size(), 3);
}

TEST_F(TextDatasets, RobertaReadsByteLevelTokens) {
  write_sst2();
  const auto& roberta = models::all().at("roberta");
  input_ = roberta.input(run::complete_options({}, roberta.options, "model", "roberta"));
  const auto data = open("sst2", {{"vocabulary", vocabulary_.roberta()}});
  data->start({0}, 1);
  const auto tokens = text::open_tokenizer("byte_bpe", vocabulary_.roberta())->encode("hello ", 16);
  EXPECT_EQ(numbers(data->next().inputs), std::vector<std::int64_t>(tokens.begin(), tokens.end()));
}

constexpr const char* tweets =
    "id,Content,Label\n1,\"hello,\n\"\"world\"\"\",0\n2,hello,1\n3,world,2\n4,running,0\n5,cafe,1\n"
    "6,hello hello,2\n7,unaffable,0\n8,world world,1\n9,running world,no number\n";

TEST_F(TextDatasets, CsvIsDividedBySeed) {
  write("table.csv", tweets);
  input_.classes = 3;
  const auto rows = [&](const char* seed) {
    const auto data =
        open("text_csv",
             {{"text", "Content"}, {"label", "Label"}, {"held_out", "0.25"}, {"seed", seed}});
    EXPECT_EQ(data->size(), 6);
    EXPECT_EQ(data->held_out()->size(), 2);
    std::vector<std::vector<std::int64_t>> texts;
    for (auto* part : {data.get(), data->held_out()}) {
      part->start(indices(part->size()), 1);
      for (auto sample = part->next(); sample.inputs.defined(); sample = part->next()) {
        texts.push_back(numbers(sample.inputs));
      }
    }
    return texts;
  };
  const auto first = rows("1");
  EXPECT_EQ(rows("1"), first);
  EXPECT_NE(rows("2"), first);
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end()) << "a row is in both parts";
}

TEST_F(TextDatasets, ReportsTheLineOfATextHoweverRowsWereSampled) {
  write("table.csv", "text,label\nhello,0\nworld,x\n\"run\nning\",1\nunaffable,1\n");
  const auto data = open("text_csv", {{"held_out", "0"}, {"seed", "3"}});
  std::set<std::string> origins;
  for (std::int64_t i = 0; i < data->size(); ++i) {
    origins.insert(data->origin(i));
    data->start({i}, 1);
    EXPECT_EQ(numbers(data->next().labels)[0] == 0, data->origin(i) == "line 2");
  }
  EXPECT_EQ(origins, (std::set<std::string>{"line 2", "line 4", "line 6"}));
}

TEST_F(TextDatasets, CsvMakesTwoClassesAndReportsWhatItExcluded) {
  write("table.csv", tweets);
  const run::OptionValues columns{{"text", "Content"}, {"label", "Label"}, {"held_out", "0"}};
  EXPECT_THAT(error("text_csv", columns), HasSubstr("distinguishes 2 classes"));
  auto options = columns;
  options["positive"] = "9";
  EXPECT_THAT(error("text_csv", options),
              HasSubstr("dataset.positive: found '9', expected labels that rows of "));
  options["positive"] = "0, 2";
  const auto data = open("text_csv", options);
  EXPECT_EQ(data->held_out(), nullptr);
  const auto labels = labels_of(*data);
  EXPECT_EQ(std::count(labels.begin(), labels.end(), 1), 5);
  EXPECT_THAT(data->notes().front(), HasSubstr("1 of 9 rows left out; the first: line 11"));
}

TEST_F(TextDatasets, BadInputIsOneClearLine) {
  write_sst2();
  write("table.csv", tweets);
  EXPECT_THAT(error("sst2", {{"path", ""}}),
              HasSubstr("dataset.path: not given; expected the folder"));
  EXPECT_THAT(error("sst2", {{"path", folder_ / "none"}}),
              HasSubstr("none/dev.tsv: cannot be read"));
  EXPECT_THAT(
      error("sst2", {{"vocabulary", ""}}),
      HasSubstr("dataset.vocabulary: not given, and weights is no folder with one; expected "
                "a folder with vocab.txt"));
  EXPECT_THAT(error("sst2", {{"tokenizer", "wordpieces"}}), HasSubstr("did you mean 'wordpiece'?"));
  EXPECT_THAT(error("text_csv", {}), HasSubstr("table.csv:1: found no column 'text'"));
  EXPECT_THAT(error("text_csv", {{"text", "Content"}, {"label", "Label"}, {"positive", "yes"}}),
              HasSubstr("dataset.positive: found 'yes', expected whole numbers"));
  EXPECT_THAT(
      error("text_csv",
            {{"text", "Content"}, {"label", "Label"}, {"positive", "0"}, {"held_out", "1"}}),
      HasSubstr("dataset.held_out: found 1, which leaves nothing"));
  write("table.csv", "text,label\nhello,0\nworld,9223372036854775807\n");
  EXPECT_THAT(error("text_csv", {}), HasSubstr("distinguishes 2 classes"));
  input_.vocabulary = 20;
  EXPECT_THAT(error("sst2", {}), HasSubstr("tokens, expected at most model.vocabulary=20"));
  input_ = {.shape = {3, 32, 32}};
  EXPECT_THAT(error("sst2", {}),
              HasSubstr("dataset sst2: the model needs samples of shape 3 x 32 x 32"));
}

TEST_F(TextDatasets, RealSst2HasItsPublishedRows) {
  EPOCHCAST_NEEDS_SHARED_DATA("text/sst2/train.tsv");
  input_ = {.shape = {128}, .vocabulary = 30522, .classes = 2, .tokenizer = "wordpiece"};
  const auto data =
      open("sst2", {{"path", shared_data("text/sst2")}, {"vocabulary", shared_data(vocabulary)}});
  EXPECT_EQ(data->size(), 67349);
  EXPECT_EQ(data->held_out()->size(), 872);
  EXPECT_THAT(data->notes().front(), HasSubstr(" 0 of them cut"));
}

TEST_F(TextDatasets, RealTweetsDivideInTwoClasses) {
  EPOCHCAST_NEEDS_SHARED_DATA("text/hate-speech/labeled_data.csv");
  input_ = {.shape = {128}, .vocabulary = 30522, .classes = 2, .tokenizer = "wordpiece"};
  const auto data = open("text_csv", {{"path", shared_data("text/hate-speech/labeled_data.csv")},
                                      {"vocabulary", shared_data(vocabulary)},
                                      {"text", "tweet"},
                                      {"label", "class"},
                                      {"positive", "0"},
                                      {"held_out", "0"}});
  EXPECT_EQ(data->size(), 24783);
  const auto labels = labels_of(*data);
  EXPECT_EQ(std::count(labels.begin(), labels.end(), 1), 1430);
}

}  // namespace
}  // namespace epochcast::libtorch
