// Inference and the service on the simulated device.
#include <gmock/gmock.h>

#include "tests/files.hpp"
#include "tests/gpu/simulated_gpu.hpp"
#include "tests/trainer/requests.hpp"

namespace epochcast {
namespace {

using testing::HasSubstr;

class SimulatedAnswers : public SimulatedGpu, public testing::WithParamInterface<SmallModel> {};

TEST_P(SimulatedAnswers, AreThoseOfTheCpuAndTheirLabelsStayOnTheHost) {
  const Words infer{"--task=infer", "--dataset.samples=11"};
  train("cpu", GetParam(), "cpu", 1, infer);
  const auto result = train("cuda", GetParam(), "cuda", 1, infer);
  const auto answers = [&](const std::string& point) {
    return bytes_of(folder / "work" / point / "answers.csv");
  };
  EXPECT_FALSE(answers("cuda").empty());
  EXPECT_EQ(answers("cuda"), answers("cpu"));
  constexpr int steps = 6;
  EXPECT_EQ(counted(result, "without waiting"), GetParam().name == "distilbert" ? 2 * steps : steps)
      << "the inputs, and the mask of texts";
  if (GetParam().name != "distilbert") {  // whose batches differ in length
    EXPECT_EQ(counted(result, "replays"), 2) << "of 5 batches with the same shape";
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SimulatedAnswers,
                         testing::Values(small_distilbert, small_wide_resnet));

TEST_F(SimulatedGpu, AnswersRequests) {
  setenv("LD_LIBRARY_PATH", EPOCHCAST_SIMULATED_CUDA, 1);
  Words all{program(),
            "serve",
            "--device=cuda",
            "--threads=1",
            "--port=0",
            "--address-file=" + (folder / "address").string(),
            "--model=" + small_distilbert.name,
            "--dataset=sst2",
            "--dataset.vocabulary=" EPOCHCAST_SOURCE_DIR "/experiments/texts/vocab.txt"};
  for (const auto& option : small_distilbert.options) {
    if (option.starts_with("--model")) {
      all.push_back(option);
    }
  }
  Running service(all, "job", folder / "log");
  const auto response = response_to(post(R"({"text": ["a moving music", ""]})"),
                                    port_in(folder / "address", service));
  EXPECT_THAT(response, HasSubstr("200 OK"));
  EXPECT_THAT(response, HasSubstr(R"({"label":"POSITIVE","score":)"));
  service.send(SIGTERM);
  EXPECT_EQ(service.wait(), 0) << service.printed();
}

}  // namespace
}  // namespace epochcast
