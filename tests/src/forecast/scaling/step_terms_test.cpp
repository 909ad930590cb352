#include "src/forecast/scaling/step_terms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace epochcast::forecast {
namespace {

std::vector<std::string> terms_of(const std::vector<StepTerms>& laws) {
  std::vector<std::string> names;
  for (const auto& law : laws) {
    for (const auto& term : law) {
      if (std::string name(term.name); std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

TEST(StepLaws, HaveTermsOnlyForWhatVaries) {
  EXPECT_THAT(terms_of(step_laws({{.batch = 1}, {.batch = 2}}, 9)),
              testing::UnorderedElementsAre("arithmetic", "fixed"));
  EXPECT_THAT(terms_of(step_laws({{.threads = 1}, {.threads = 2}}, 9)),
              testing::UnorderedElementsAre("arithmetic", "fixed", "not divided among threads",
                                            "waking threads"));
}

TEST(StepLaws, HaveNoMoreTermsThanAllowedAndSimplerOnesComeFirst) {
  const std::vector<StepSetting> settings{
      {.batch = 1}, {.batch = 2, .threads = 2}, {.workers = 4, .nodes = 2}};
  const auto laws = step_laws(settings, 3);
  EXPECT_EQ(laws.front().size(), 1);
  EXPECT_EQ(laws.back().size(), 3);
  EXPECT_TRUE(std::ranges::is_sorted(laws, {}, &StepTerms::size));
  EXPECT_EQ(step_laws(settings, 0).size(), 1);
}

TEST(StepLaws, OfADividedModelHaveItsBubbleAndItsAllReduces) {
  const StepSetting whole{.batch = 2, .workers = 8};  // 16 samples of 8 replicas
  const StepSetting divided{.batch = 2, .workers = 8, .tensor = 2, .pipeline = 2, .micro_batch = 2};
  EXPECT_EQ(divided.replicas(), 2);
  EXPECT_EQ(divided.micro_batches(), 4) << "8 samples of each replica";
  EXPECT_THAT(terms_of(step_laws({whole, divided}, 9)),
              testing::IsSupersetOf(
                  {"pipeline bubble", "all-reduce of activations", "launching each micro batch"}));
  EXPECT_EQ(terms::bubble.amount(divided) / terms::arithmetic.amount(divided), (2 - 1) / 4.0);
  EXPECT_EQ(terms::micro_launches.amount(divided), (4 + 2 - 1) / 2.0);
  EXPECT_EQ(terms::tensor_volume.amount(divided), (4 + 2 - 1) / 2.0 * 2 * 0.5);
  EXPECT_EQ(terms::ring.amount(divided), 0.25 * 0.5) << "a quarter of the gradients, 2 replicas";
  for (const auto& term : {terms::bubble, terms::tensor_volume, terms::tensor_calls}) {
    EXPECT_EQ(term.amount(whole), 0) << term.name;
  }
}

TEST(StepLaws, OneThreadWakesNone) {
  for (const auto& law : step_laws({{.threads = 1}, {.threads = 2}}, 9)) {
    for (const auto& term : law) {
      if (term.name == "waking threads") {
        EXPECT_EQ(term.amount({.layers = 3, .threads = 1}), 0);
        EXPECT_EQ(term.amount({.layers = 3, .threads = 3}), 6);
      }
    }
  }
}

}  // namespace
}  // namespace epochcast::forecast
