#include "src/measure/progress/lines/json_message.hpp"

#include <gtest/gtest.h>

namespace epochcast::progress {
namespace {

TEST(JsonMessage, HasTheTimeTheMessageAndTheNumbers) {
  EXPECT_EQ(
      json_message(R"( {"level": "INFO", "ts": 12.5, "msg": "step 3", "of": {"loss": 0.5}} )"),
      "12.5 step 3 | loss: 0.5");
  EXPECT_EQ(json_message(R"({"epoch": 1, "loss": 0.5})"), std::nullopt);
  EXPECT_EQ(json_message(R"({"message": "cut off)"), std::nullopt);
}

TEST(JsonMessage, IsFoundInALineThatIsNestedDeep) {
  constexpr int deep = 200000;
  std::string line = R"({"message": "step 3", "x": )";
  for (int i = 0; i < deep; ++i) {
    line += R"({"x": )";
  }
  line += "1" + std::string(deep + 1, '}');
  EXPECT_EQ(json_message(line), "step 3");
}

}  // namespace
}  // namespace epochcast::progress
