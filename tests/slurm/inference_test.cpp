// An inference spread over two nodes of a real Slurm: a rank dies in the middle, resubmit answers
// the rest.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "src/base/core/csv.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"
#include "tests/slurm/slurm_lab.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t items = 1821;  // sentences of SST-2's test.tsv

class SlurmInference : public SlurmLab {
 protected:
  SlurmInference() { accounting_ = false; }

  /// SST-2's own sentences where they are at hand; in her home, since alice may not be let into the
  /// folder above this project's.
  std::string dataset() {
    const fs::path texts = shared_data("text");
    are_real_ = fs::exists(texts / "sst2/test.tsv");
    if (!are_real_) {
      return fmt::format("{{name: synthetic, samples: {}}}", items);
    }
    const auto own = home("texts");
    fs::create_directories(own);
    fs::copy(texts / "sst2", own / "sst2", fs::copy_options::recursive);
    fs::copy(texts / "vocab/bert-base-uncased-vocab.txt", own / "vocab.txt");
    return fmt::format(
        "{{name: sst2, path: {0}/sst2, held_out: test.tsv, vocabulary: {0}/vocab.txt}}",
        own.string());
  }

  /// Items one by one, some milliseconds each, so that there is a middle to die in.
  void generate() {
    write(
        "site.yaml",
        "scheduler: slurm\n"
        "allocations:\n"
        "  four: {partition: teaching, nodes: 2, tasks_per_node: 2, cpus_per_task: 1, memory: 2G, "
        "time: 10m, signal_lead: 30s}\n");
    write("experiment.yaml",
          "name: sentences\n"
          "task: infer\n"
          "model: {name: tinybert, length: 64}\n"
          "dataset: " +
              dataset() + "\nbatch: 1\n");
    must("epochcast-jobs generate experiment.yaml --cluster ./site.yaml -o out");
  }

  /// Rows of answers below OUT/work/POINT.
  std::vector<CsvRow> answers_in(const std::string& name) {
    std::vector<CsvRow> rows;
    std::error_code not_yet;
    for (const auto& entry : fs::recursive_directory_iterator(home("out/work"), not_yet)) {
      const auto path = fs::relative(entry.path(), home("out/work")).string();
      if (entry.path().extension() == ".csv" && path.find(name) != std::string::npos) {
        const auto text = bytes_of(entry.path());
        for (auto& row : parse_csv(std::string_view(text).substr(0, text.rfind('\n') + 1))) {
          if (row.size() >= 4 && row[0] != "item") {
            rows.push_back(std::move(row));
          }
        }
      }
    }
    return rows;
  }

  bool are_real_ = false;  ///< The sentences are those of a file.
};

TEST_F(SlurmInference, AnswersEverySentenceOnceThoughARankDies) {
  generate();
  must("epochcast-jobs submit out");
  const auto first = wait_for_attempts("out", 1).front();
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (answers_in("/answers/").empty()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end)
        << "no answer: " << status("out").begin()->second.reason;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  root(
      "for p in $(pgrep -f epochcast-train); do "
      "tr '\\0' '\\n' </proc/$p/environ | grep -qx SLURM_PROCID=1 && kill -KILL $p; done; true");
  const auto failed = wait_until_settled("out");
  ASSERT_EQ(failed.begin()->second.state, "failed") << failed.begin()->second.reason;
  EXPECT_THAT(failed.begin()->second.reason, HasSubstr("rank 1 on "));
  const auto before = answers_in("/answers/").size();
  EXPECT_LT(before, items);

  EXPECT_THAT(must("epochcast-jobs resubmit out --failed"), HasSubstr("resumes"));
  const auto settled = wait_until_settled("out");
  ASSERT_EQ(settled.begin()->second.state, "complete") << settled.begin()->second.reason;
  EXPECT_EQ(answers_in("/answers/").size(), items) << before << " by job " << first;
  const auto rows = answers_in("/answers.csv");
  ASSERT_EQ(rows.size(), items);
  for (std::size_t i = 0; i < items; ++i) {
    ASSERT_EQ(rows[i][0], std::to_string(i));
    ASSERT_EQ(rows[i].at(4), are_real_ ? "line " + std::to_string(i + 2) : "");
  }
}

}  // namespace
}  // namespace epochcast
