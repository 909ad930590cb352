// Inference by several ranks with the real programs: every item answered once, also where a rank
// dies in the middle.
#include <gmock/gmock.h>

#include <cmath>

#include "src/base/core/clock.hpp"
#include "src/base/core/csv.hpp"
#include "tests/files.hpp"
#include "tests/trainer/ranks.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

/// Whole rows of a file of answers without its head: the column names and what stands above them.
std::vector<CsvRow> rows_of(const std::filesystem::path& path) {
  const auto text = bytes_of(path);
  auto rows = parse_csv(std::string_view(text).substr(0, text.rfind('\n') + 1));
  const auto names = std::ranges::find(rows, "item", [](const CsvRow& row) { return row[0]; });
  rows.erase(rows.begin(), names == rows.end() ? names : names + 1);
  return rows;
}

class InferTest : public RanksTest {
 protected:
  /// The words of answering `items` points with a small untrained perceptron.
  std::vector<std::string> infer_words(int ranks, const std::string& point, int items,
                                       std::vector<std::string> more = {}) const {
    const std::vector<std::string> infer{"--task=infer",
                                         "--dataset.samples=" + std::to_string(items)};
    more.insert(more.begin(), infer.begin(), infer.end());
    return small_words(ranks, point, 1, more);
  }

  process::CommandResult infer_on(int ranks, const std::string& point, const std::string& job,
                                  int items, const std::vector<std::string>& more = {}) const {
    return run_as_job(job, infer_words(ranks, point, items, more));
  }

  std::filesystem::path answers(const std::string& point) const {
    return folder / "work" / point / "answers.csv";
  }

  /// The items that the ranks of a job wrote down, in the order of ranks.
  std::vector<std::string> items_by(const std::string& point, const std::string& job,
                                    int ranks) const {
    std::vector<std::string> items;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto name = point + "-" + job + "." + std::to_string(rank) + ".csv";
      for (const auto& row : rows_of(folder / "work" / point / "answers" / name)) {
        items.push_back(row[0]);
      }
    }
    return items;
  }

  /// Each of the items once, in order, and answered as in `reference`, to the last digits of the
  /// score, which differ with the size of a batch.
  void expect_answered_once(const std::string& point, const std::string& reference,
                            std::size_t items) const {
    const auto rows = rows_of(answers(point));
    const auto expected = rows_of(answers(reference));
    ASSERT_EQ(rows.size(), items);
    ASSERT_EQ(expected.size(), items);
    for (std::size_t i = 0; i < items; ++i) {
      ASSERT_EQ(rows[i][0], std::to_string(i));
      EXPECT_EQ(rows[i][1], expected[i][1]) << "item " << i;
      EXPECT_EQ(rows[i][2], expected[i][2]) << "item " << i;
      EXPECT_NEAR(std::stod(rows[i][3]), std::stod(expected[i][3]), 1e-5) << "item " << i;
    }
  }

  static double metric_of(const record::Record& record, const std::string& name) {
    for (const auto& metric : record.metrics) {
      if (metric.name.view() == name) {
        return metric.value;
      }
    }
    return NAN;
  }
};

TEST_F(InferTest, AnyNumberOfRanksAnswersEveryItemOnceAndAlike) {
  constexpr int items = 47;  // no rank has as many as another
  ASSERT_EQ(infer_on(1, "on1", "job", items).status, 0);
  const auto alone = record("on1", "job");
  EXPECT_EQ(alone.epochs.front().samples, items);
  for (const int ranks : {2, 4}) {
    const auto point = "on" + std::to_string(ranks);
    const auto run = infer_on(ranks, point, "job", items);
    ASSERT_EQ(run.status, 0) << run.err;
    expect_answered_once(point, "on1", items);
    const auto record = this->record(point, "job");
    EXPECT_EQ(record.header.outcome.view(), "complete");
    EXPECT_EQ(record.work.front().samples_per_epoch, items);
    EXPECT_EQ(record.epochs.front().samples, items) << "no item is padding";
    EXPECT_NEAR(metric_of(record, "accuracy"), metric_of(alone, "accuracy"), 1e-12);
    EXPECT_NEAR(metric_of(record, "balanced_accuracy"), metric_of(alone, "balanced_accuracy"),
                1e-12);
  }
}

/// Rank 0 has the short texts, rank 1 the long ones, which take many times as long.
TEST_F(InferTest, APassEndsForAllWhenItEndsForTheSlowest) {
  std::string texts = "sentence\tlabel\n";
  for (int i = 0; i < 16; ++i) {
    texts += (i < 8 ? std::string("film") : repeated("film ", 400)) + "\t0\n";
  }
  set_bytes(folder / "dev.tsv", texts);
  const auto run = run_as_job(
      "job",
      ranks_words(2, "p", 3,
                  {"--task=infer", "--model=tinybert", "--model.length=400", "--dataset=sst2",
                   "--dataset.samples=", "--dataset.path=" + folder.string(),
                   "--dataset.vocabulary=share:texts/vocab.txt", "--batch=8"}));
  ASSERT_EQ(run.status, 0) << run.err;
  const auto record = this->record("p", "job");
  ASSERT_EQ(record.epochs.size(), 3u);
  ASSERT_EQ(record.iterations.size(), 6u);
  for (const auto& step : record.iterations) {
    // Ranks may leave a barrier some milliseconds apart, of some hundred that rank 1 needs.
    EXPECT_GE(record.epochs[std::size_t(step.epoch)].wall_s, 0.5 * (step.wait_s + step.step_s))
        << "rank " << step.rank << ", pass " << step.epoch;
  }
}

TEST_F(InferTest, OfDifferentDataIsRefused) {
  for (const auto& [rank, rows] : {std::pair{"rank0", 9}, {"rank1", 5}}) {
    std::filesystem::create_directories(folder / rank);
    set_bytes(folder / rank / "t.csv", "text,label\n" + repeated("film,0\n", rows));
  }
  for (const auto* task : {"infer", "train"}) {
    const auto run = run_as_job(
        task,
        ranks_apart_words(2, "p",
                          {"--task=" + std::string(task), "--model=tinybert", "--model.layers=1",
                           "--dataset=text_csv", "--dataset.samples=", "--dataset.path=t.csv",
                           "--dataset.held_out=0", "--dataset.vocabulary=share:texts/vocab.txt"}));
    EXPECT_EQ(run.status, 2);
    const std::string text =
        "dataset: rank 1 found 5 samples, rank 0 9; expected the same data on all nodes";
    EXPECT_THAT(run.err, HasSubstr(text));
    EXPECT_THAT(record("p", task).header.outcome_text.str(), HasSubstr(text));
  }
}

TEST_F(InferTest, EndsAtItsLimitAlthoughOneRankHasFewerItems) {
  const auto run = infer_on(2, "p", "job", 5, {"--batch=1", "--epochs=3", "--max_iterations=3"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(rows_of(answers("p")).size(), 5u);
  EXPECT_EQ(record("p", "job").epochs.size(), 1u);
}

TEST_F(InferTest, ContinuesAfterWhatIsAnsweredWithAnyNumberOfRanks) {
  constexpr int items = 47;
  ASSERT_EQ(infer_on(1, "whole", "job", items).status, 0);
  ASSERT_EQ(infer_on(2, "p", "first", items, {"--max_iterations=3"}).status, 0);
  EXPECT_EQ(rows_of(answers("p")).size(), 24u) << "what a limit left is told too";
  const auto run = infer_on(3, "p", "second", items, {"--resume=true"});
  ASSERT_EQ(run.status, 0) << run.err;
  expect_answered_once("p", "whole", items);
  EXPECT_EQ(items_by("p", "second", 3).size(), 23u);
  const auto record = this->record("p", "second");
  EXPECT_EQ(record.header.resumed_from.view(), "p-first.h5");
  EXPECT_THAT(record.header.note.str(), HasSubstr("24 of 47 items were answered by earlier"));
  EXPECT_NEAR(metric_of(record, "accuracy"), metric_of(this->record("whole", "job"), "accuracy"),
              1e-12)
      << "of all items";
}

TEST_F(InferTest, WithNothingLeftEndsAtOnceAndANewRunStartsOver) {
  ASSERT_EQ(infer_on(2, "p", "first", 9).status, 0);
  ASSERT_EQ(infer_on(2, "p", "second", 9, {"--resume=true"}).status, 0);
  EXPECT_TRUE(record("p", "second").iterations.empty());
  EXPECT_EQ(rows_of(answers("p")).size(), 9u);
  ASSERT_EQ(infer_on(2, "p", "third", 9).status, 0);
  EXPECT_EQ(items_by("p", "third", 2).size(), 9u);
  EXPECT_EQ(rows_of(answers("p")).size(), 9u);
}

TEST_F(InferTest, LosesNothingWithARankAndAnswersNothingTwice) {
  constexpr int items = 300'000;  // one by one they take many times as long as the kill
  ASSERT_EQ(infer_on(1, "whole", "job", items, {"--batch=50000"}).status, 0);
  Running running(infer_words(3, "p", items, {"--batch=1"}), "first", folder / "log");
  const SteadyClock clock;
  while (items_by("p", "first", 3).empty()) {
    ASSERT_LT(clock.now_s(), 300) << running.printed();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(processes_of_ranks(running.pid()).at(1), SIGKILL);
  EXPECT_NE(running.wait(), 0);
  EXPECT_EQ(record("p", "first").header.outcome.view(), "failed");
  EXPECT_FALSE(std::filesystem::exists(answers("p")));
  const auto before = items_by("p", "first", 3);

  ASSERT_EQ(infer_on(2, "p", "second", items, {"--batch=50000", "--resume=true"}).status, 0);
  expect_answered_once("p", "whole", items);
  auto all = items_by("p", "second", 2);
  EXPECT_EQ(all.size() + before.size(), std::size_t(items)) << "none was answered again";
  all.insert(all.end(), before.begin(), before.end());
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::unique(all).size(), 0u);
}

}  // namespace
}  // namespace epochcast
