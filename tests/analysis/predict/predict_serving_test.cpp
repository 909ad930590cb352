// `predict --serving`, asked of the program as a user would.
#include <gmock/gmock.h>

#include "tests/analysis/made_service.hpp"
#include "tests/analysis/program.hpp"
#include "tests/csv_rows.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PredictServing : public ::testing::Test {
 protected:
  /// A record of a light load on a service that takes 10 ms + 2 ms b, in micro-batches of up to 8.
  void write(const std::string& cached = "0", std::int64_t passes_of_two = 5) {
    const ParameterTexts parameters{{"serve.batch", "8"},
                                    {"serve.batch_wait", "0s"},
                                    {"load.mix", "a_file"},
                                    {"load.texts", "1"},
                                    {"load.cached", cached}};
    auto record = made_service(parameters);
    const auto stage = add_stage(record, 5, 20, 13'000);
    add_passes(record, stage, 1, 90, 0.010, 0.002);
    add_passes(record, stage, 2, passes_of_two, 0.010, 0.002);
    write_records({record}, folder_ / "light");
  }
  process::CommandResult predict(std::vector<std::string> words) {
    words.insert(words.begin(), {"predict", folder_ / "light", "--serving", "--format", "csv"});
    return analyze(words);
  }

  TemporaryFolder folder_;
};

TEST_F(PredictServing, PrintsTheLimitAndWhatItIsFrom) {
  write();
  const auto answer = predict({"--part", "serving_limit"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  // Full batches: 8 in 26 ms.
  const auto limit = csv_rows(answer.out).at(0);
  EXPECT_EQ(limit.at("threshold_s"), "2.000");
  EXPECT_EQ(limit.at("load_unit"), "requests/s");
  EXPECT_EQ(limit.at("capacity_per_s"), "307.7");
  const auto text = analyze({"predict", folder_ / "light", "--serving"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("10.00 ms + 2.000 ms b"), HasSubstr("had 2 of 8 inputs"),
                              HasSubstr("simulated: arrivals, queue")));
}

TEST_F(PredictServing, TakesLoadsArrivalsAndTimeFromTheCommandLine) {
  write();
  const auto answer = predict({"--part", "serving_forecast", "--load", "1", "--load", "3",
                               "--arrivals", "closed", "--time", "10s"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  const auto one = csv_row(answer.out, "load", "1.0");
  EXPECT_EQ(one.at("load_unit"), "users");
  EXPECT_EQ(one.at("p50_s"), "0.0130");
  EXPECT_EQ(csv_row(answer.out, "load", "3.0").at("load_unit"), "users");
  const auto wrong = predict({"--load", "-1"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--load: "));
}

TEST_F(PredictServing, RefusesWhatSaysNothingOfTheService) {
  write("0", 0);
  const auto answer = analyze({"predict", folder_ / "light", "--serving"});
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("refused: all micro-batches have 1 inputs"));
}

TEST_F(PredictServing, EndsIfNoRequestReachesTheNetwork) {
  write("1");
  const auto answer = analyze({"predict", folder_ / "light", "--serving"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("no load that keeps and none that breaks the threshold"));
}

}  // namespace
}  // namespace epochcast::analysis
