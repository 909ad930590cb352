#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/export/exporter.hpp"
#include "analysis/import/importer.hpp"
#include "analysis/plot_parts/plot_spec.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/device/device.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::analysis {
namespace {

template <class Spec>
void print_entries(const std::string& kind, const std::map<std::string, Spec>& entries) {
  for (const auto& [name, spec] : entries) {
    fmt::print("{:<8} {:<16} {}\n", kind, name, spec.summary);
  }
}

int run_list(const cli::Arguments&) {
  print_entries("table", tables::all());
  print_entries("plot", plots::all());
  print_entries("format", table::formats::all());
  print_entries("import", importers::all());
  print_entries("export", exporters::all());
  for (const auto& device : device::read_device_database(device::device_database_folder())) {
    const auto unchecked = device::unchecked_figures(device);
    fmt::print("{:<8} {:<16} {}{}\n", "device", device.name, device.label,
               unchecked.empty() ? "" : " (not checked: " + join(unchecked, ", ") + ")");
  }
  return exit_done;
}

}  // namespace

cli::Subcommand list_command() {
  return {"list",
          {.usage = "epochcast-analyze list",
           .summary = "Prints the names of tables, plots, formats, importers, exporters and "
                      "devices",
           .example = "epochcast-analyze list",
           .options = {}},
          run_list};
}

}  // namespace epochcast::analysis
