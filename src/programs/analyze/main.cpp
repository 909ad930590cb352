// epochcast-analyze: turns records into tables and forecasts, and logs of other programs into
// records.
#include "analysis/commands/commands.hpp"
#include "src/base/core/error.hpp"
#include "src/record/reader.hpp"

int main(int argc, char** argv) {
  using namespace epochcast;
  return run_program("epochcast-analyze", [&] {
    return cli::run_subcommand(
        {.name = "epochcast-analyze",
         .summary = "Turns records into tables and forecasts.",
         .commands = {analysis::table_command(), analysis::plot_command(),
                      analysis::report_command(), analysis::predict_command(),
                      analysis::validate_command(), analysis::import_command(),
                      analysis::export_command(), analysis::verify_command(),
                      analysis::salvage_command(), analysis::schema_command(),
                      analysis::list_command()},
         .reference = {{"record", record::schema_page}}},
        {argv + 1, argv + argc});
  });
}
