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
