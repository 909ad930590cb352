#include "jobs/submit/notify.hpp"

#include "jobs/commands/commands.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::jobs {
namespace {

int run_notify(const cli::Arguments& arguments) {
  const auto out = only_word(arguments, "OUT");
  const auto send = arguments.has("test") ? notify_test : notify_at_end;
  return send(out, cli::report) ? exit_done : exit_failed;
}

}  // namespace

cli::Subcommand notify_command() {
  return {"notify",
          {.usage = "epochcast-jobs notify OUT [--test]",
           .summary = "Sends the message of 'notify:' if OUT has ended",
           .example = "epochcast-jobs notify out --test",
           .options = {{"test", "", "Send one now"}},
           .positional = "OUT"},
          run_notify};
}

}  // namespace epochcast::jobs
