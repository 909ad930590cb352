// One vocabulary in every form: what YAML says, what the script passes on and what the trainer
// computes with cannot disagree. The tests walk the tables, so fields that come later are covered.
#include "src/record/run/run_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/cli/command_line.hpp"
#include "src/base/config/yaml.hpp"
#include "src/record/run/allocation.hpp"
#include "tests/src/record/run/other_value.hpp"

namespace epochcast::run {
namespace {

using testing::HasSubstr;

RunConfig config_of_other_values() {
  auto config = other_values<RunConfig>();
  config.model_options = {{"depth", "3"}, {"name with space", "it's; \"x\" $(id)"}};
  config.dataset_options = {{"path", "/data/a b"}, {"empty", ""}};
  config.optimizer_options = {{"momentum", "0.9"}};
  return config;
}

TEST(RunConfig, EveryFieldSurvivesParameters) {
  const auto config = config_of_other_values();
  EXPECT_EQ(run_config_from(to_parameters(config)), config);
  EXPECT_EQ(run_config_from(non_default_parameters(config)), config);
}

TEST(RunConfig, DefaultsHaveNoParametersOfTheirOwn) {
  EXPECT_TRUE(non_default_parameters(RunConfig{}).empty());
  EXPECT_EQ(to_parameters(RunConfig{}).size(), run_config_names().size());
}

TEST(RunConfig, EachFieldAloneIsTheOnlyParameter) {
  const auto others = other_values<RunConfig>();
  for_each_field<RunConfig>([&](const auto& field) {
    RunConfig config;
    config.*field.member = others.*field.member;
    const auto parameters = non_default_parameters(config);
    ASSERT_EQ(parameters.size(), 1U) << field.name;
    EXPECT_EQ(parameters.front().name, field.name);
    EXPECT_EQ(parameters.front().unit, field.unit);
  });
}

TEST(RunConfig, FieldsAreDistinguishedByTheirConcern) {
  EXPECT_THAT(names_of_roles({ParameterRole::repeat, ParameterRole::place}),
              testing::ElementsAre("cuda_graphs", "device", "kernels", "repeat", "seed"));
  EXPECT_THAT(names_of_roles({ParameterRole::length}),
              testing::ElementsAre("epochs", "max_iterations", "max_time"));
  const auto all =
      names_of_roles({ParameterRole::work, ParameterRole::update, ParameterRole::learning,
                      ParameterRole::evaluation, ParameterRole::target, ParameterRole::length,
                      ParameterRole::repeat, ParameterRole::place, ParameterRole::observation});
  EXPECT_THAT(run_config_names(), testing::UnorderedElementsAreArray(all))
      << "every field has a role";
}

TEST(RunConfig, EveryFieldSurvivesTheCommandLine) {
  const auto config = config_of_other_values();
  const cli::CommandSpec spec{.usage = "",
                              .summary = "",
                              .example = "",
                              .options = cli::options_of_fields<RunConfig>(),
                              .open_prefixes = option_prefixes()};
  std::vector<std::string> words;
  for (const auto& parameter : non_default_parameters(config)) {
    words.push_back("--" + parameter.name + "=" + parameter.value);
  }
  const auto arguments = cli::parse_command_line(spec, words);
  RunConfig read;
  cli::set_fields_from(read, arguments);
  for (const auto& [name, value] : arguments.open()) {
    set_field(read, name, value);
  }
  EXPECT_EQ(read, config);
}

TEST(RunConfig, EveryFieldSurvivesYaml) {
  const auto config = config_of_other_values();
  std::string text;
  for (const auto& parameter : to_parameters(config)) {
    text += "'" + parameter.name + "': '";
    for (const char c : parameter.value) {
      text += c == '\'' ? std::string("''") : std::string(1, c);
    }
    text += "'\n";
  }
  RunConfig read;
  for (const auto& [name, value] : yaml::parse_text(text, "a.yaml").map) {
    set_field(read, name, value.text());
  }
  EXPECT_EQ(read, config);
}

template <class Struct>
void expect_every_field_is_an_option() {
  const auto others = other_values<Struct>();
  const cli::CommandSpec spec{
      .usage = "", .summary = "", .example = "", .options = cli::options_of_fields<Struct>()};
  std::vector<std::string> words;
  for (const auto& [name, text] : field_texts(others)) {
    words.push_back("--" + name + "=" + text);
  }
  Struct read;
  cli::set_fields_from(read, cli::parse_command_line(spec, words));
  EXPECT_EQ(field_texts(read), field_texts(others));
}

TEST(RunConfig, EveryFieldOfTheOtherTablesIsAnOptionToo) {
  expect_every_field_is_an_option<RunOutput>();
  expect_every_field_is_an_option<Allocation>();
}

TEST(RunConfig, AcceptsValuesThatWereRenamed) {
  RunConfig config;
  set_field(config, "procedure", "lab");
  EXPECT_EQ(config.procedure, "reference");
  set_field(config, "procedure", "fast");
  EXPECT_EQ(config, RunConfig{});
  EXPECT_EQ(current_text("model", "lab"), "lab") << "the value of another field";
}

TEST(RunConfig, BadValuesNameFieldFoundAndExpected) {
  const struct {
    const char *name, *text, *expected;
  } cases[] = {
      {"batch", "many", "batch: found 'many', expected a whole number"},
      {"batch", "0", "batch: found '0', expected a value >=1"},
      {"procedure", "referense",
       "procedure: found 'referense', expected one of optimized, reference; did you mean "
       "'reference'?"},
      {"max_time", "90", "max_time: found '90', expected a duration with units"},
      {"bacth", "1", "unknown key 'bacth'; did you mean 'batch'?"},
      {"model.", "1", "unknown key 'model.'"},
      {"dataset.", "1", "unknown key 'dataset.'"},
  };
  for (const auto& [name, text, expected] : cases) {
    RunConfig config;
    try {
      set_field(config, name, text);
      ADD_FAILURE() << name << "=" << text << " was taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(expected));
    }
    EXPECT_EQ(config, RunConfig{}) << "a refused value changes nothing";
  }
}

TEST(RunConfig, UnderscoresAndOldValuesAreAcceptedOnTheCommandLine) {
  const cli::CommandSpec spec{
      .usage = "", .summary = "", .example = "", .options = cli::options_of_fields<RunConfig>()};
  for (const auto* option : {"--evaluate-every=7", "--evaluate_every=7"}) {
    RunConfig config;
    cli::set_fields_from(config, cli::parse_command_line(spec, {option, "--procedure=lab"}));
    EXPECT_EQ(config.evaluate_every, 7) << option;
    EXPECT_EQ(config.procedure, "reference");
  }
  RunConfig config;
  set_field(config, "procedure", "fast");
  EXPECT_EQ(config.procedure, "optimized");
}

TEST(Parameters, ValueOfANameOrTheOther) {
  const Parameters parameters{{"batch", "64", "integer", "samples"}};
  EXPECT_EQ(value_of_parameter(parameters, "batch"), "64");
  EXPECT_EQ(value_of_parameter(parameters, "epochs", "1"), "1");
}

}  // namespace
}  // namespace epochcast::run
