// epochcast-analyze: timing records to tables, and published figures to records.
#include "analysis/commands/commands.hpp"
#include "src/core/error.hpp"

int main(int argc, char** argv) {
  using namespace epochcast::analysis;
  return epochcast::run_program("epochcast-analyze", [&] {
    return epochcast::cli::run_subcommand(
        {"epochcast-analyze",
         "Reads timing records; prints tables and forecasts.",
         {epochcast::analysis::table_command(), epochcast::analysis::predict_command(),
          epochcast::analysis::validate_command(), epochcast::analysis::import_command(),
          epochcast::analysis::export_command(), epochcast::analysis::verify_command(),
          epochcast::analysis::salvage_command(), epochcast::analysis::schema_command(),
          epochcast::analysis::list_command()}},
        {argv + 1, argv + argc});
  });
}
