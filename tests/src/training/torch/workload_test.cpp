// The workload through its torch-free face: what it counts, that it repeats, that it resumes, how
// it refuses.
#include "src/training/torch/run/workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "src/base/core/error.hpp"
#include "src/training/image/decode.hpp"
#include "src/training/torch/run/checkpoint.hpp"
#include "src/training/torch/run/list.hpp"

namespace epochcast::libtorch {
namespace {

using testing::HasSubstr;

run::RunConfig small_run(const std::string& procedure) {
  run::RunConfig config;
  config.dataset = "synthetic";
  config.dataset_options = {{"samples", "40"}};
  config.model_options = {{"width", "8"}, {"latent", "16"}};
  config.batch = 8;
  config.procedure = procedure;
  return config;
}

std::unique_ptr<train::Workload> open_workload(const run::RunConfig& config, int threads = 1) {
  return make_workload(config, {}, threads);
}

/// Trains `steps` steps of the epoch begun; false where the epoch ended before.
bool train_steps(train::Workload& workload, int steps) {
  for (int i = 0; i < steps; ++i) {
    if (workload.load_batch().samples == 0) {
      return false;
    }
    workload.step();
  }
  return true;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

class Scratch : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::path(testing::TempDir()) / (std::string("epochcast_") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};
using Checkpoints = Scratch;
using ImageGrid = Scratch;

TEST(Workload, CountsTheLabsStepAsPublished) {
  run::RunConfig config;
  config.dataset = "synthetic";
  config.dataset_options = {{"samples", "300"}};
  config.procedure = "reference";
  const auto work = open_workload(config)->describe();
  EXPECT_EQ(work.parameter_count, 3'576'704 + 2'765'696);
  EXPECT_NEAR(work.flops_per_sample, 2.692e9, 0.0005e9);
  EXPECT_DOUBLE_EQ(work.convolution_flops_per_sample, work.flops_per_sample);
  EXPECT_EQ(work.samples_per_epoch, 300);
  EXPECT_EQ(work.iterations_per_epoch, 2);
  EXPECT_EQ(work.precision.view(), "fp32");
}

TEST(Workload, CountsTheFastStepWithoutTheWaste) {
  run::RunConfig config;
  config.dataset = "synthetic";
  const auto work = open_workload(config)->describe();
  EXPECT_NEAR(work.flops_per_sample, 2.275e9, 0.0005e9);
}

TEST(Workload, CountsFlopsASampleAlikeForEveryBatch) {
  auto config = small_run("reference");
  const auto of_8 = open_workload(config)->describe();
  config.batch = 1;
  const auto of_1 = open_workload(config)->describe();
  EXPECT_DOUBLE_EQ(of_8.flops_per_sample, of_1.flops_per_sample);
  EXPECT_GT(of_1.bytes_per_sample, of_8.bytes_per_sample) << "weights are read once a step";
}

TEST(Workload, AnEpochCoversTheDataAndEndsWithASmallerBatch) {
  auto config = small_run("optimized");
  config.dataset_options["samples"] = "20";
  const auto workload = open_workload(config);
  workload->start_epoch(0);
  std::vector<std::int64_t> batches;
  for (auto batch = workload->load_batch(); batch.samples > 0; batch = workload->load_batch()) {
    EXPECT_DOUBLE_EQ(batch.work, workload->describe().flops_per_sample * double(batch.samples));
    batches.push_back(batch.samples);
    workload->step();
  }
  EXPECT_EQ(batches, (std::vector<std::int64_t>{8, 8, 4}));
  EXPECT_TRUE(workload->take_device_times().empty());
}

TEST(Workload, LossesRepeatBitForBitBySeed) {
  const auto losses_of = [](std::int64_t seed, std::int64_t repeat) {
    auto config = small_run("optimized");
    config.seed = seed;
    config.repeat = repeat;
    const auto workload = open_workload(config, 2);
    workload->start_epoch(0);
    train_steps(*workload, 5);
    return workload->losses();
  };
  EXPECT_EQ(losses_of(1, 0), losses_of(1, 0));
  EXPECT_EQ(losses_of(1, 1), losses_of(2, 0));
  EXPECT_NE(losses_of(1, 0), losses_of(2, 0));
}

TEST_F(Checkpoints, ResumeInTheMiddleOfAnEpochIsExact) {
  for (const auto* procedure : {"reference", "optimized"}) {
    const auto config = small_run(procedure);
    const auto whole = open_workload(config);
    whole->start_epoch(0);
    train_steps(*whole, 5);
    whole->start_epoch(1);
    train_steps(*whole, 1);

    {
      const auto first = open_workload(config);
      first->start_epoch(0);
      train_steps(*first, 3);
      first->parts().sampler->sample(path("sample.png"));  // must not change the resumed run
      first->parts().checkpoints->save(path("checkpoint"));
    }
    const auto second = open_workload(config);
    const auto place = second->parts().checkpoints->restore(path("checkpoint"));
    EXPECT_EQ(place.epoch, 0);
    EXPECT_EQ(place.iteration, 3);
    second->start_epoch(place.epoch);
    EXPECT_TRUE(train_steps(*second, 2));
    EXPECT_FALSE(train_steps(*second, 1)) << "the epoch has 5 steps";
    second->start_epoch(1);
    train_steps(*second, 1);

    EXPECT_EQ(whole->losses(), second->losses()) << procedure;
    whole->parts().checkpoints->save(path("whole"));
    second->parts().checkpoints->save(path("second"));
    EXPECT_EQ(bytes_of(path("whole")), bytes_of(path("second"))) << procedure;
  }
}

TEST_F(Checkpoints, AtTheEndOfAnEpochContinuesWithTheNext) {
  const auto config = small_run("optimized");
  const auto first = open_workload(config);
  first->start_epoch(0);
  train_steps(*first, 5);
  first->parts().checkpoints->save(path("checkpoint"));
  first->start_epoch(1);
  train_steps(*first, 2);

  const auto second = open_workload(config);
  const auto place = second->parts().checkpoints->restore(path("checkpoint"));
  EXPECT_EQ(place.epoch, 1);
  EXPECT_EQ(place.iteration, 0);
  second->start_epoch(place.epoch);
  train_steps(*second, 2);
  EXPECT_EQ(first->losses(), second->losses());
}

TEST_F(Checkpoints, OfAnotherRunAreRefused) {
  const auto config = small_run("optimized");
  open_workload(config)->parts().checkpoints->save(path("checkpoint"));

  struct Case {
    std::string field, value, text;
  };
  const std::vector<Case> cases{
      {"batch", "4", "is of a run with batch 8; this run has 4"},
      {"seed", "2", "is of a run with seed 1; this run has 2"},
      {"procedure", "reference", "is of a run with procedure optimized; this run has reference"},
      {"model.width", "4", "is of a run with model.width 8; this run has 4"},
      {"dataset.samples", "41", "is of a run with dataset.samples 40; this run has 41"},
  };
  for (const auto& [field, value, text] : cases) {
    auto other = config;
    run::set_field(other, field, value);
    const auto workload = open_workload(other);
    EXPECT_EQ(error_of([&] { workload->parts().checkpoints->restore(path("checkpoint")); }),
              path("checkpoint") + ": " + text);
  }
  auto longer = config;
  longer.epochs = 20;
  longer.max_iterations = 3;
  EXPECT_EQ(open_workload(longer)->parts().checkpoints->restore(path("checkpoint")).epoch, 0);
}

TEST_F(Checkpoints, FromBeforeThereWasAnOptionMeanItsDefault) {
  auto config = small_run("optimized");
  open_workload(config)->parts().checkpoints->save(path("checkpoint"));
  auto checkpoint = read_checkpoint(path("checkpoint"));
  EXPECT_EQ(
      std::erase_if(checkpoint.identity, [](const auto& p) { return p.name == "last_batch"; }), 1);
  write_checkpoint(path("checkpoint"), checkpoint);
  EXPECT_EQ(open_workload(config)->parts().checkpoints->restore(path("checkpoint")).epoch, 0);
  config.last_batch = "drop";
  const auto workload = open_workload(config);
  EXPECT_EQ(error_of([&] { workload->parts().checkpoints->restore(path("checkpoint")); }),
            path("checkpoint") + ": is of a run with last_batch keep; this run has drop");
}

TEST_F(Checkpoints, DamagedOrMissingAreNamed) {
  const auto workload = open_workload(small_run("optimized"));
  workload->parts().checkpoints->save(path("checkpoint"));
  const auto bytes = bytes_of(path("checkpoint"));
  for (const auto& damage :
       {std::string(), std::string("no checkpoint"), bytes.substr(0, bytes.size() / 2)}) {
    std::ofstream(path("damaged"), std::ios::binary) << damage;
    EXPECT_EQ(error_of([&] { workload->parts().checkpoints->restore(path("damaged")); }),
              path("damaged") + ": is damaged or not a checkpoint of epochcast");
  }
  EXPECT_EQ(error_of([&] { workload->parts().checkpoints->restore(path("none")); }),
            path("none") + ": cannot read the checkpoint: No such file or directory");
}

/// A bad sector, or a copy that was interrupted.
TEST_F(Checkpoints, WithABlockOfZerosAreRefused) {
  const auto workload = open_workload(small_run("optimized"));
  workload->parts().checkpoints->save(path("checkpoint"));
  const auto bytes = bytes_of(path("checkpoint"));
  constexpr std::size_t block = 512;
  const auto step = std::max(block, bytes.size() / 40 / block * block);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    auto damaged = bytes;
    const auto end = std::min(at + block, bytes.size());
    std::fill(damaged.begin() + std::ptrdiff_t(at), damaged.begin() + std::ptrdiff_t(end), '\0');
    if (damaged == bytes) {
      continue;
    }
    std::ofstream(path("damaged"), std::ios::binary) << damaged;
    EXPECT_EQ(error_of([&] { workload->parts().checkpoints->restore(path("damaged")); }),
              path("damaged") + ": is damaged or not a checkpoint of epochcast")
        << "zeros at " << at;
  }
}

TEST_F(Checkpoints, OfEarlierVersionsHaveNoChecksumAndAreRestored) {
  const auto workload = open_workload(small_run("optimized"));
  workload->parts().checkpoints->save(path("checkpoint"));
  auto bytes = bytes_of(path("checkpoint"));
  bytes.resize(bytes.size() - std::string_view("crc32=01234567").size());
  bytes[bytes.size() - 2] = 0;  // the length of the comment
  std::ofstream(path("checkpoint"), std::ios::binary) << bytes;
  EXPECT_EQ(workload->parts().checkpoints->restore(path("checkpoint")).epoch, 0);
}

TEST_F(Checkpoints, WithAValueThatWasRenamedAreOfTheSameRun) {
  const auto config = small_run("reference");
  open_workload(config)->parts().checkpoints->save(path("checkpoint"));
  auto checkpoint = read_checkpoint(path("checkpoint"));
  const auto procedure = std::ranges::find(checkpoint.identity, "procedure", &run::Parameter::name);
  procedure->value = "lab";
  write_checkpoint(path("checkpoint"), checkpoint);
  EXPECT_EQ(open_workload(config)->parts().checkpoints->restore(path("checkpoint")).epoch, 0);
}

TEST_F(Checkpoints, ThatCannotBeWrittenLeaveTheOldOne) {
  const auto workload = open_workload(small_run("optimized"));
  EXPECT_THAT(
      error_of([&] { workload->parts().checkpoints->save(path("no/such/folder/checkpoint")); }),
      HasSubstr("cannot be written: No such file or directory"));
  workload->parts().checkpoints->save(path("checkpoint"));
  const auto before = bytes_of(path("checkpoint"));
  std::filesystem::create_directory(path("checkpoint.new"));
  workload->start_epoch(0);
  train_steps(*workload, 1);
  EXPECT_THAT(error_of([&] { workload->parts().checkpoints->save(path("checkpoint")); }),
              HasSubstr("cannot be written"));
  EXPECT_TRUE(bytes_of(path("checkpoint")) == before);
}

TEST_F(ImageGrid, AreTheLabsGridOfThreeRowsOfSeven) {
  const auto workload = open_workload(small_run("reference"));
  workload->parts().sampler->sample(path("grid.png"));
  const auto picture = image::read_image(path("grid.png"));
  EXPECT_EQ(picture.width, 448);
  EXPECT_EQ(picture.height, 192);
}

TEST(Workload, RefusesWhatItDoesNotKnow) {
  struct Case {
    std::string field, value, text;
  };
  const std::vector<Case> cases{
      {"model", "dcgam", "unknown model 'dcgam'; did you mean 'dcgan'?"},
      {"dataset", "sinthetic", "unknown dataset 'sinthetic'; did you mean 'synthetic'?"},
      {"model.widht", "8", "model.widht: unknown option of model 'dcgan'; did you mean 'width'?"},
      {"model.width", "0", "model.width: found '0', expected a value >=1"},
      {"dataset.samples", "many", "dataset.samples: found 'many', expected a whole number"},
  };
  for (const auto& [field, value, text] : cases) {
    auto config = small_run("optimized");
    run::set_field(config, field, value);
    EXPECT_EQ(error_of([&] { open_workload(config); }), text);
  }
}

TEST(Workload, CudaWhereNoneWorksFailsClearly) {
  auto config = small_run("optimized");
  config.device = "cuda";
  try {
    open_workload(config);
    GTEST_SKIP() << "a GPU works here";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("device cuda: "));
    EXPECT_EQ(error.status(), exit_failed);
  }
}

TEST(ModelList, HasModelsAndDataSetsWithTheirOptions) {
  const auto list = nlohmann::json::parse(model_list_json());
  const auto& dcgan = list["models"]["dcgan"];
  EXPECT_FALSE(dcgan["summary"].get<std::string>().empty());
  EXPECT_EQ(dcgan["options"][0]["name"], "latent");
  EXPECT_EQ(dcgan["options"][0]["type"], "integer");
  EXPECT_EQ(dcgan["options"][0]["default"], "100");
  EXPECT_EQ(dcgan["options"][0]["allowed"], ">=1");
  EXPECT_EQ(dcgan["optimizer"], "adam");
  EXPECT_EQ(list["optimizers"]["sgd"]["options"][0]["name"], "learning_rate");
  EXPECT_TRUE(list["datasets"].contains("synthetic"));
}

TEST(ModelList, HasNoMistakeInATableOfOptions) {
  for (const auto& [name, model] : models::all()) {
    EXPECT_NO_THROW(run::complete_options({}, model.options, "model", name));
  }
  for (const auto& [name, dataset] : datasets::all()) {
    EXPECT_NO_THROW(run::complete_options({}, dataset.options, "dataset", name));
  }
  for (const auto& [name, optimizer] : optimizers::all()) {
    EXPECT_NO_THROW(run::complete_options({}, optimizer.options, "optimizer", name));
  }
}

}  // namespace
}  // namespace epochcast::libtorch
