#include "jobs/commands/commands.hpp"

#include <fmt/format.h>

#include "jobs/experiment/settings.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::jobs {

std::vector<cli::Subcommand> all_commands() {
  return {init_command(),     generate_command(), check_command(),  submit_command(),
          run_command_here(), status_command(),   logs_command(),   cancel_command(),
          resubmit_command(), plan_command(),     advise_command(), update_limits_command(),
          launch_command(),   notify_command(),   cluster_command()};
}

std::string only_word(const cli::Arguments& arguments, const std::string& what) {
  if (arguments.positional().size() != 1) {
    throw Error(fmt::format("found {} arguments, expected one: {} (see --help)",
                            arguments.positional().size(), what));
  }
  return arguments.positional().front();
}

cli::Option site_option() {
  return {"site", "KEY=VALUE",
          "Replace a key of the profile for all allocations; ALLOCATION.KEY=VALUE for one", "",
          true};
}

SiteSettings site_settings(const cli::Arguments& arguments) {
  SiteSettings settings;
  for (const auto& text : arguments.all("site")) {
    settings.push_back(parse_setting(text));
  }
  return settings;
}

cli::Option repeat_disturbed_option() {
  return {"repeat-disturbed", "N",
          "Run points again from which others took time, by their telemetry, also those of earlier "
          "calls: at most N times each (0: never)",
          "0"};
}

std::int64_t repeats_of_disturbed(const cli::Arguments& arguments) {
  std::int64_t repeats = 0;
  cli::read_option(arguments, "repeat-disturbed", repeats, ">=0");
  return repeats;
}

cli::Option filter_option() {
  return {"filter", "COLUMN=VALUE", "Only points with this value; commas separate several values",
          "", true};
}

}  // namespace epochcast::jobs
