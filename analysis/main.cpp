// epochcast-analyze: from records to tables, and from others' figures to records.
#include "analysis/commands.hpp"
#include "src/core/error.hpp"

int main(int argc, char** argv) {
  using namespace epochcast;
  return run_program("epochcast-analyze", [&] {
    return run_subcommand(
        "epochcast-analyze", "What came out of the runs: records in, tables out.",
        {table_command(), predict_command(), validate_command(), import_command(), export_command(),
         verify_command(), salvage_command(), schema_command(), list_command()},
        {argv + 1, argv + argc});
  });
}
