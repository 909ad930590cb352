#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/record/run/parameter.hpp"
#include "tests/files.hpp"

namespace epochcast::run {
namespace {

using testing::HasSubstr;

TEST(GivenParameters, HaveTheTypeOfTheirValue) {
  const Parameters expected{{"epochs", "10", "integer", "1"},
                            {"lr", "0.1", "number", "1"},
                            {"name", "a=b", "text", "1"},
                            {"empty", "", "text", "1"}};
  EXPECT_EQ(given_parameters({"epochs=10", "lr=0.1", "name=a=b", "empty="}), expected);
}

TEST(GivenParameters, AreNamed) {
  for (const char* word : {"epochs", "=10", ""}) {
    EXPECT_THAT(error_of([&] { given_parameters({word}); }),
                HasSubstr("--parameter: found '" + std::string(word) + "', expected NAME=VALUE"));
  }
}

TEST(GivenParameters, ACommandIsQuotedAsInAShell) {
  EXPECT_EQ(command_parameter({"python3", "my train.py"}).value, "python3 'my train.py'");
}

TEST(GivenParameters, OtherParametersHaveAnotherHash) {
  const Parameters ten{{"epochs", "10", "integer", "1"}};
  EXPECT_EQ(short_hash(ten).size(), 8U);
  EXPECT_EQ(short_hash(ten), short_hash(Parameters(ten)));
  EXPECT_NE(short_hash(ten), short_hash({{"epochs", "11", "integer", "1"}}));
}

}  // namespace
}  // namespace epochcast::run
