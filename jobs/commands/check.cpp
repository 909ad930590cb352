#include "jobs/submit/check.hpp"

#include <fmt/format.h>

#include "jobs/commands/commands.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

std::string summary(const CheckReport& report) {
  if (!report.problems.empty()) {
    return counted(report.problems.size(), "problem");
  }
  return report.all_checked ? "no problem found" : "no problem found in what could be checked";
}

int run_check(const cli::Arguments& arguments) {
  const auto report = check(only_word(arguments, "OUT"));
  for (const auto& problem : report.problems) {
    fmt::print("{}: {}. Fix: {}\n", printable(problem.where), printable(problem.text),
               printable(problem.fix));
  }
  for (const auto& remark : report.remarks) {
    cli::report(remark);
  }
  cli::report(summary(report));
  return report.problems.empty() ? exit_done : exit_failed;
}

}  // namespace

cli::Subcommand check_command() {
  return {"check",
          {.usage = "epochcast-jobs check OUT",
           .summary = "Checks that the jobs of OUT can run; one line per problem, with its fix",
           .example = "epochcast-jobs check out",
           .options = {},
           .positional = "OUT"},
          run_check};
}

}  // namespace epochcast::jobs
