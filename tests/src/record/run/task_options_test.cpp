// The options of a task: groups of a field table each, beside the fields of RunConfig.
#include <gtest/gtest.h>

#include "src/record/run/run_config.hpp"

namespace epochcast::run {
namespace {

std::string error_of(const std::string& name, const std::string& text) {
  try {
    RunConfig config;
    set_field(config, name, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TaskOptions, SurviveParametersWithTypeAndUnit) {
  RunConfig config;
  config.task = Task::serve;
  set_field(config, "serve.batch", "8");
  set_field(config, "serve.batch_wait", "5ms");
  set_field(config, "load.stages", "10/s:30s,20/s:30s");
  const auto parameters = non_default_parameters(config);
  EXPECT_EQ(run_config_from(parameters), config);
  ASSERT_EQ(parameters.size(), 4U);
  EXPECT_EQ(parameters[1], (Parameter{"serve.batch", "8", "integer", "inputs"}));
  EXPECT_EQ(parameters[2].type, "duration");
}

TEST(TaskOptions, AreCheckedAsTheirTableSays) {
  EXPECT_EQ(error_of("serve.batch", "0"), "serve.batch: found '0', expected a value >=1");
  EXPECT_EQ(error_of("serve.batch", "x"), "serve.batch: found 'x', expected a whole number");
  EXPECT_EQ(error_of("serve.bacth", "8"),
            "serve.bacth: unknown option of task serve; did you mean 'batch'?");
  EXPECT_EQ(error_of("stream.forward", "0"), "stream.forward: found '0', expected a value >=1");
  EXPECT_EQ(error_of("stream.batches", "3"), "");
}

TEST(TaskOptions, BelongToTheirTask) {
  RunConfig config;
  EXPECT_NO_THROW(require_options_of_task(config));
  set_field(config, "load.stages", "1:1s");
  try {
    require_options_of_task(config);
    FAIL() << "a training has no load";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "load.stages: is an option of task serve, found task train");
  }
  config.task = Task::serve;
  EXPECT_NO_THROW(require_options_of_task(config));
}

TEST(Tasks, AllButACommandAreValuesOfTheField) {
  for (const auto& row : tasks) {
    EXPECT_EQ(&task_row(row.task), &row);
    RunConfig config;
    if (row.task == Task::command) {
      EXPECT_EQ(error_of("task", ""),
                "task: found '', expected one of train, infer, serve, stream");
    } else {
      set_field(config, "task", row.name);
      EXPECT_EQ(config.task, row.task);
    }
  }
  EXPECT_EQ(error_of("task", "trian"),
            "task: found 'trian', expected one of train, infer, serve, stream; did you mean "
            "'train'?");
}

TEST(TaskOptions, EveryGroupHasNames) {
  for (const auto& owner : option_owners) {
    EXPECT_EQ(names_of_task_options(owner).empty(), !owner.task) << owner.prefix;
  }
}

}  // namespace
}  // namespace epochcast::run
