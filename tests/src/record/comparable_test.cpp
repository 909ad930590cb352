#include "src/record/comparable.hpp"

#include <gtest/gtest.h>

namespace epochcast::record {
namespace {

Record record_with(const char* name, const char* value) {
  Record record;
  record.parameters = {{.name = "model", .value = "mlp"}, {.name = name, .value = value}};
  return record;
}

TEST(Comparable, RunsFromBeforeTheOptionDeterministicCompareWithThoseWithoutIt) {
  const auto older = record_with("batch", "8");
  auto newer = older;
  newer.parameters.push_back({.name = "deterministic", .value = "false"});
  EXPECT_EQ(step_parameters(newer), step_parameters(older));
  newer.parameters.back().value = "true";
  EXPECT_NE(step_parameters(newer), step_parameters(older));
}

}  // namespace
}  // namespace epochcast::record
