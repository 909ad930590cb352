// What a run does. A task is one row of the table `tasks`; whatever depends on the task asks the
// row. The lines that start it are in jobs/script/script.cpp.
#pragma once

#include <array>
#include <string_view>

#include "src/base/core/enum_text.hpp"
#include "src/base/core/fields.hpp"

namespace epochcast::run {

enum class Task {
  train,
  infer,
  serve,   ///< A service under load: epochcast-load starts `epochcast-train serve`.
  stream,  ///< `epochcast-train stream` answers what epochcast-stream produces.
  command  ///< A program of the user's, which epochcast-run runs; it is no value of `task`.
};

struct TaskRow {
  Task task;
  std::string_view name;  ///< The value of the parameter `task`.
  bool has_epochs;        ///< It passes over a data set, so its length is a number of epochs.
  bool resumes;           ///< A later attempt goes on where this one ends.
  std::string_view helper_program;  ///< Runs beside the trainer; "": none.
};

inline constexpr std::array tasks{TaskRow{Task::train, "train", true, true, ""},
                                  TaskRow{Task::infer, "infer", true, true, ""},
                                  TaskRow{Task::serve, "serve", false, false, "epochcast-load"},
                                  TaskRow{Task::stream, "stream", false, true, "epochcast-stream"},
                                  TaskRow{Task::command, "", false, false, ""}};

constexpr const TaskRow& task_row(Task task) {
  return tasks[static_cast<std::size_t>(task)];
}

constexpr auto texts_of(Tag<Task>) {
  std::array<EnumText<Task>, tasks.size()> texts;
  for (const auto& row : tasks) {
    texts[static_cast<std::size_t>(row.task)] = {row.task, row.name};
  }
  return texts;
}

/// The task that a record or jobs.csv names; "": from before there was a choice, training.
constexpr Task stated_task(std::string_view text) {
  return text.empty() ? Task::train : parse_enum<Task>(text).value_or(Task::train);
}

}  // namespace epochcast::run
