#include <fmt/format.h>

#include <filesystem>

#include "analysis/commands/commands.hpp"
#include "analysis/plot_parts/plot_spec.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/registry.hpp"
#include "src/output/plot/picture_file.hpp"
#include "src/output/plot/svg.hpp"

namespace epochcast::analysis {
namespace {

/// The charts that have values. Throws Error, with what is missing, where none has.
std::vector<plot::Chart> with_values(const std::string& name, const PlotSpec& spec,
                                     std::vector<plot::Chart> charts) {
  std::vector<std::string> why_not;
  auto kept = drawable(std::move(charts), why_not);
  if (kept.empty()) {
    throw Error(printable(fmt::format("plot {}: nothing to draw: it needs {}{}", name, spec.needs,
                                      why_not.empty() ? "" : " (" + join(why_not, "; ") + ")")));
  }
  return kept;
}

/// FILE.csv beside FILE.svg. Throws Error where a file of that name is not the data of a picture:
/// it may be the ledger that was drawn.
std::string data_file(const std::string& output) {
  const auto path = std::filesystem::path(output).replace_extension(".csv");
  const auto header = plot::csv({});
  if (is_there(path) && read_file(path).substr(0, header.size()) != header) {
    throw Error(printable(fmt::format(
        "--output: {} exists and is not the data of a picture; choose another name than {}",
        path.string(), output)));
  }
  return path.string();
}

constexpr double height_of_few = 540;
constexpr double height_of_many = 400;  ///< Of three charts and more: a picture to be scrolled.

void write(const std::vector<plot::Chart>& charts, const cli::Arguments& arguments) {
  plot::SvgOptions options;
  options.width = static_cast<double>(cli::count_of(arguments, "width"));
  options.height = arguments.has("height") ? static_cast<double>(cli::count_of(arguments, "height"))
                   : charts.size() > 2     ? height_of_many
                                           : height_of_few;
  if (!arguments.has("output")) {
    fmt::print("{}", plot::svg(charts, options));
    return;
  }
  const auto output = arguments.get("output");
  const auto data = data_file(output);
  plot::write_picture(output, charts, options);
  write_file(data, plot::csv(charts));
  cli::report(printable(fmt::format("wrote {} and its data {}", output, data)));
}

int run_plot(const cli::Arguments& arguments) {
  if (print_list(arguments, plots::all())) {
    return exit_done;
  }
  const auto name = words_after(arguments, 0, "NAME ('plot list' prints the names)").front();
  const auto& spec = find_entry(plots::all(), "plot", name);
  if (arguments.has("output")) {
    plot::require_picture_format(arguments.get("output"));  // before the work, not after it
    static_cast<void>(data_file(arguments.get("output")));
  }
  if (spec.of_files) {
    write(with_values(
              name, spec,
              spec.of_files({arguments.positional().begin() + 1, arguments.positional().end()})),
          arguments);
    return exit_done;
  }
  const auto loaded = requested_records(arguments, spec.rows);
  PlotOptions options{.by = arguments.all("by"), .device = arguments.get("device")};
  if (arguments.has("seen")) {
    options.epochs_seen = static_cast<std::size_t>(cli::count_of(arguments, "seen"));
  }
  write(with_values(name, spec, charts_of(spec, loaded.records, options)), arguments);
  return status_of(loaded);
}

}  // namespace

cli::Subcommand plot_command() {
  return {
      "plot",
      {.usage = "epochcast-analyze plot NAME RECORDS... -o FILE.svg|png|pdf [options]",
       .summary = "Draws records as a picture, with its data as FILE.csv ('plot list' prints "
                  "the names)",
       .example = "epochcast-analyze plot lab out/records -o lab.svg",
       .options = {{"output,o", "FILE",
                    "Write to FILE.svg, .png or .pdf, and the data to FILE.csv; without it: SVG on "
                    "standard output"},
                   {"filter", "NAME=VALUE", "Keep records where NAME=VALUE; repeat NAME for OR", "",
                    true},
                   {"by", "NAME", "Separate lines for each value of this parameter or header field",
                    "", true},
                   {"device", "DEVICE",
                    "Of roofline: a file of measure-device, or a device of the database"},
                   {"seen", "K",
                    "Of run_forecast: forecast from the first K epochs; without it: all of a run "
                    "that has not ended, the first 2 of one that has"},
                   {"width", "N", "Width in pixels", "900"},
                   {"height", "N",
                    "Height of each chart in pixels; without it: 540, of three charts and more "
                    "400"}},
       .positional = "NAME RECORDS..."},
      run_plot};
}

}  // namespace epochcast::analysis
