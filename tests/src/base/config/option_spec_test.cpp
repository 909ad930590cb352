#include "src/base/config/option_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/core/error.hpp"

namespace epochcast::run {
namespace {

std::vector<OptionSpec> specs() {
  return {{.name = "depth",
           .type = "integer",
           .default_value = "3",
           .meaning = "Layers",
           .allowed = ">=1"},
          {.name = "rate", .type = "number", .default_value = "0.1", .meaning = "Rate"},
          {.name = "norm", .type = "flag", .default_value = "true", .meaning = "Whether"},
          {.name = "warm", .type = "duration", .default_value = "5s", .meaning = "Warm-up"},
          {.name = "cache", .type = "size", .default_value = "1G", .meaning = "Cache"},
          {.name = "path", .type = "text", .default_value = "", .meaning = "Folder"}};
}

TEST(OptionSpec, SetsEveryDefault) {
  const auto values = complete_options({{"depth", "5"}}, specs(), "model", "mlp");
  EXPECT_EQ(values, (OptionValues{{"depth", "5"},
                                  {"rate", "0.1"},
                                  {"norm", "true"},
                                  {"warm", "5s"},
                                  {"cache", "1G"},
                                  {"path", ""}}));
}

TEST(OptionSpec, RefusesByNameTypeAndRange) {
  const struct {
    const char *name, *text, *expected;
  } cases[] = {
      {"dpeth", "3", "model.dpeth: unknown option of model 'mlp'; did you mean 'depth'?"},
      {"depth", "deep", "model.depth: found 'deep', expected a whole number"},
      {"depth", "0", "model.depth: found '0', expected a value >=1"},
      {"rate", "x", "model.rate: found 'x', expected a number"},
      {"norm", "x", "model.norm: found 'x', expected true or false"},
      {"warm", "5", "model.warm: found '5', expected a duration"},
      {"cache", "5", "model.cache: found '5', expected a size"},
  };
  for (const auto& [name, text, expected] : cases) {
    try {
      complete_options({{name, text}}, specs(), "model", "mlp");
      ADD_FAILURE() << name << "=" << text << " was taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(expected));
    }
  }
}

TEST(OptionSpec, AMistakeInTheTableNamesItsOption) {
  const struct {
    OptionSpec spec;
    const char* expected;
  } cases[] = {
      {{"rate", "number", "0.1", "1", "", ">=0,<1"},
       "option 'rate' of 'mlp': '>=0,<1' in the table of options: expected A|B, >=N, >N, "
       "LOW..HIGH"},
      {{"rate", "number", "0.1", "1", "", "small"}, "'small' in the table of options"},
      {{"rate", "float", "0.1", "1", "", ""}, "type 'float' in the table of options"},
      {{"rate", "number", "2", "1", "", "0..<1"}, "found '2', expected a value in 0..<1"},
  };
  for (const auto& [spec, expected] : cases) {
    try {
      complete_options({}, {spec}, "model", "mlp");
      ADD_FAILURE() << spec.allowed << " was accepted";
    } catch (const std::logic_error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(expected));
    }
  }
}

}  // namespace
}  // namespace epochcast::run
