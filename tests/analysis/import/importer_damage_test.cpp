// Damaged logs: whatever bytes are lost, doubled or changed, an importer gives what can be read and
// names the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/export/exporter.hpp"
#include "analysis/import/importer.hpp"
#include "src/base/core/registry.hpp"
#include "tests/files.hpp"

namespace epochcast::analysis {
namespace {

struct Sample {
  const char* kind;
  const char* text;
  const char* pattern;
};

const std::vector<Sample> samples{
    {"mllog",
     R"(+ srun train
:::MLLOG {"time_ms": 1000, "event_type": "INTERVAL_START", "key": "run_start", "value": null, "metadata": {}}
0: :::MLLOG {"time_ms": 1500, "key": "epoch_start", "value": null, "metadata": {"epoch_num": 1}}
speed 12 :::MLLOG {"time_ms": 4500, "key": "epoch_stop", "metadata": {"epoch_num": 1, "file": "a\"b.py"}} end
:::MLLOG {"time_ms": 4600, "key": "eval_start", "metadata": {"epoch_num": 1}}
:::MLLOG {"time_ms": 4700, "key": "eval_stop", "metadata": {"epoch_num": 1}}
:::MLLOG {"time_ms": 4800, "key": "block_start", "metadata": {"first_epoch_num": 2, "epoch_count": 4}}
:::MLLOG {"time_ms": 9800, "key": "block_stop", "metadata": {"first_epoch_num": 2}}
:::MLLOG {"time_ms": 9900, "key": "run_stop", "metadata": {"status": "success"}}
)",
     ""},
    {"csv",
     "run,epoch,iteration,duration_s,samples\na,1,1,0.5,64\na,1,2,0.25,64\n\"b,c\",,7,1e3,\n", ""},
    {"log", "a epoch 1 step 10 at 12.5s 640 samples\nb epoch 1 step 20 at 25s 640 samples\n",
     R"((?<run>\w+) epoch (?<epoch>\d+) step (?<iteration>\d+) at (?<clock_s>[^s]*)s (?<samples>\S+))"},
    {"events",
     R"({"event":"train_begin","epochs":2,"time_ns":5000000000,"pid":7}
{"event":"epoch_begin","epoch":0,"time_ns":5100000000,"pid":7}
{"event":"step","epoch":0,"step":4,"steps":9,"time_ns":5600000000,"pid":7,"metrics":{"loss":NaN}}
{"event":"epoch_end","epoch":0,"time_ns":6100000000,"pid":7}
{"event":"evaluate_begin","epoch":0,"time_ns":6200000000,"pid":7}
{"event":"evaluate_end","epoch":0,"time_ns":6300000000,"pid":7,"metrics":{"accuracy":0.5}}
{"event":"epoch_begin","epoch":1,"time_ns":6400000000,"pid":7}
{"event":"epoch_end","epoch":1,"time_ns":7400000000,"pid":7}
)",
     ""},
    {"sacct",
     "JobID|JobName|State|Elapsed|Timelimit|Start|End|AllocTRES\n"
     "1|a|COMPLETED|00:01:00|1-00:00:00|2026-01-01T00:00:00|2026-01-01T00:01:00|cpu=2,node=1\n"
     "1.batch|batch|COMPLETED|00:01:00||2026-01-01T00:00:00|2026-01-01T00:01:00|cpu=2\n"
     "2_1|b|c|TIMEOUT|01:00:10|01:00:00|Unknown|Unknown|gres/gpu:t4=1\n",
     ""},
    {"log",
     "[10:00:00] Epoch 1/3 loss 0.5 acc 0.1\n[10:00:07] Epoch 2/3 loss 0.25 acc 0.2\n[10:00:15] "
     "Epoch 3/3 loss 0.125 acc 0.3\n",
     ""},
    {"lab_log", "Using device: cuda\nStarting Training Loop...\n[1/2][0/10]\tLoss_D: 1.5\n", ""},
};

std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return random() % n; };
  for (auto count = 1 + below(4); count > 0 && !text.empty(); --count) {
    const auto at = below(text.size());
    const auto length = below(std::min<std::size_t>(text.size() - at, 40) + 1);
    switch (below(4)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      default:
        text.insert(at, std::to_string(random()));
    }
  }
  return text;
}

void expect_sound(const record::Record& record) {
  for (const auto& epoch : record.epochs) {
    ASSERT_TRUE(epoch.wall_s > 0 && std::isfinite(epoch.wall_s)) << epoch.wall_s;
    ASSERT_TRUE(epoch.evaluate_s >= 0 && std::isfinite(epoch.evaluate_s)) << epoch.evaluate_s;
  }
  for (const auto& step : record.iterations) {
    ASSERT_TRUE(step.step_s >= 0 && std::isfinite(step.step_s)) << step.step_s;
  }
  for (const auto& span : record.spans) {
    ASSERT_TRUE(span.duration_s >= 0 && std::isfinite(span.duration_s)) << span.duration_s;
  }
}

class DamagedLog : public ::testing::TestWithParam<Sample> {
 protected:
  void import(const std::string& text) {
    set_bytes(folder_ / "x.log", text);
    const auto& sample = GetParam();
    try {
      const auto imported =
          importers::all()
              .at(sample.kind)
              .read(folder_ / "x.log", {.allocation = "", .gpu = "", .pattern = sample.pattern});
      for (const auto& job : imported.jobs) {
        ASSERT_TRUE(job.elapsed_s >= 0 && std::isfinite(job.elapsed_s)) << job.elapsed_s;
      }
      for (const auto& record : imported.records) {
        expect_sound(record);
        exporters::all().at("epochs").make({{"x.h5", record}});
      }
    } catch (const Error& error) {
      // Only a table's header can be beyond reading; a damaged line never is.
      ASSERT_THAT(sample.kind, ::testing::AnyOf(::testing::StrEq("csv"), ::testing::StrEq("sacct")))
          << error.what() << "\n"
          << text;
      ASSERT_THAT(error.what(), ::testing::AnyOf(::testing::HasSubstr("x.log:1:"),
                                                 ::testing::HasSubstr("is empty")));
    }
  }

  TemporaryFolder folder_;
};

TEST_P(DamagedLog, CutOffAnywhere) {
  const std::string text = GetParam().text;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    import(text.substr(0, length));
  }
}

TEST_P(DamagedLog, WithBytesLostDoubledOrChanged) {
  std::mt19937 random(20210521);  // the same damages every time
  for (int i = 0; i < 400; ++i) {
    import(damaged(GetParam().text, random));
  }
}

/// A new importer needs a sample above.
TEST(DamagedLogs, HaveASampleForEveryImporterOfLogs) {
  auto without_sample = names_of(importers::all());
  std::erase(without_sample, "published");  // reads YAML that someone wrote, not a log
  for (const auto* tracker : {"mlflow", "tensorboard", "wandb"}) {  // metric_source_test.cpp
    std::erase(without_sample, tracker);
  }
  for (const auto& sample : samples) {
    std::erase(without_sample, sample.kind);
  }
  EXPECT_THAT(without_sample, ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Importers, DamagedLog, ::testing::ValuesIn(samples), [](const auto& test) {
  const std::string kind = test.param.kind;
  return *test.param.pattern == '\0' ? kind : kind + "_by_pattern";
});

}  // namespace
}  // namespace epochcast::analysis
