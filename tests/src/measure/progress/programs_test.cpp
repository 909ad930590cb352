// Real training programs, run here: what is read from their output is what they report about
// themselves. Needs 'env/deps python programs'.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/python.hpp"
#include "tests/src/measure/progress/captures.hpp"

namespace epochcast::progress {
namespace {

struct RealProgram {
  const char* name;
  const char* command;  ///< Behind capture.py.
  const char* modules;
  const char* format;
};

std::string programs_folder() {
  const char* chosen = std::getenv("EPOCHCAST_PROGRAMS");
  return chosen != nullptr ? chosen : EPOCHCAST_SOURCE_DIR "/.deps/programs";
}

class Programs : public testing::TestWithParam<RealProgram> {};

TEST_P(Programs, EpochsAndMetricsAreThoseReported) {
  setenv("PYTHONPATH", programs_folder().c_str(), 1);
  setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  const auto python = tests::python_with(GetParam().modules);
  if (!python) {
    GTEST_SKIP() << "no Python with " << GetParam().modules << ": env/deps python programs";
  }
  const TemporaryFolder folder;
  const auto source = std::string(EPOCHCAST_SOURCE_DIR "/tests/progress_programs/");
  const auto [pipe, program] = [&]() -> std::pair<std::string, std::string> {
    const std::string command = GetParam().command;
    return command.starts_with("--pipe ") ? std::pair{std::string("--pipe"), command.substr(7)}
                                          : std::pair{std::string(), command};
  }();
  setenv("TRUTH", (folder / "truth.json").c_str(), 1);
  const auto line = fmt::format("cd {0} && '{1}' capture.py {2} {3} {4} --epochs 4", source,
                                *python, pipe, folder / "capture.txt", program);
  ASSERT_EQ(std::system(line.c_str()), 0) << line;
  tests::expect_as_reported(tests::read_capture(folder / "capture.txt"), folder / "truth.json",
                            GetParam().format);
}

INSTANTIATE_TEST_SUITE_P(
    Slow, Programs,
    testing::Values(
        RealProgram{"plain", "--pipe plain_loop.py", "torch", "plain"},
        RealProgram{"tqdm", "tqdm_loop.py", "torch, tqdm", "tqdm"},
        RealProgram{"huggingface", "huggingface_trainer.py", "torch, transformers, accelerate",
                    "huggingface"},
        RealProgram{"lightning", "lightning_fit.py", "torch, lightning, rich", "lightning"},
        RealProgram{"lightning_rich", "lightning_fit.py rich", "torch, lightning, rich",
                    "lightning"},
        RealProgram{"keras", "keras_fit.py", "torch, keras", "keras"},
        RealProgram{"fastai", "fastai_fit.py", "torch, fastai, sklearn", "fastai"},
        RealProgram{"xgboost", "--pipe xgboost_fit.py", "xgboost", "xgboost"},
        RealProgram{"lightgbm", "--pipe lightgbm_fit.py", "lightgbm", "lightgbm"},
        RealProgram{"ignite", "--pipe ignite_fit.py", "torch, ignite", "ignite"},
        RealProgram{"stable_baselines", "--pipe stable_baselines_learn.py",
                    "torch, stable_baselines3, gymnasium", "stable_baselines"},
        RealProgram{"one_bar", "one_bar_loop.py", "torch, accelerate, tqdm", "tqdm"},
        RealProgram{"timm", "--pipe timm_train.py", "torch, timm, torchvision", "timm"}),
    [](const auto& program) { return std::string(program.param.name); });

}  // namespace
}  // namespace epochcast::progress
