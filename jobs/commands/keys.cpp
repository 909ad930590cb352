#include "jobs/cluster/cluster.hpp"
#include "jobs/commands/commands.hpp"
#include "jobs/experiment/experiment.hpp"
#include "src/table/output.hpp"

namespace epochcast::jobs {
namespace {

table::Table table_of(const std::string& name, const std::string& title,
                      const std::vector<KeyDescription>& keys) {
  table::Table table{
      .name = name,
      .title = title,
      .columns = {table::text_column("key", "key"), table::text_column("type", "type"),
                  table::text_column("default", "default"),
                  table::text_column("meaning", "meaning")}};
  for (const auto& key : keys) {
    table.rows.push_back({key.name, key.type, key.default_value, key.meaning});
  }
  return table;
}

int run(const cli::Arguments& arguments) {
  const auto of = only_word(arguments, "experiment or cluster");
  if (of == "experiment") {
    table::write_tables({table_of("experiment", "Keys of an experiment", experiment_keys())},
                        arguments);
  } else if (of == "cluster") {
    table::write_tables(
        {table_of("cluster", "Keys of a cluster profile",
                  {{"scheduler", "text", "", "slurm or local; required"},
                   {"defaults", "group", "", "Keys of an allocation that hold for all of them"},
                   {"allocations", "groups by name", "", "The allocations; required"}}),
         table_of("allocation", "Keys of an allocation", allocation_keys())},
        arguments);
  } else {
    throw Error("keys: found '" + of + "', expected one of experiment, cluster");
  }
  return exit_done;
}

}  // namespace

cli::Subcommand keys_command() {
  return {"keys",
          {.usage = "epochcast-jobs keys experiment|cluster [--format FORMAT]",
           .summary = "Prints every key of an experiment or of a cluster profile",
           .example = "epochcast-jobs keys cluster",
           .options = table::output_options(),
           .positional = "experiment|cluster"},
          run};
}

}  // namespace epochcast::jobs
