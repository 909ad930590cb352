// Charts for the tests of the drawing, and a check that what was drawn is XML.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "src/base/process/command.hpp"
#include "src/output/plot/chart.hpp"
#include "tests/files.hpp"

namespace epochcast::plot {

/// What would be markup in XML, a command in a shell, or an order to a terminal.
inline const std::string hostile =
    "<script>alert('1')</script> \"&amp;\" $x_1 ]]> `touch pwned`\n\x1b[31m \xFF\xC0\xAF "
    "\xE2\x80\xAE"
    "abc @{}^ 100 %) %s %n 'q' \\n";

/// Bars of two series on three categories, with ranges and a limit.
inline Chart made_bars() {
  using Kind = Series::Kind;
  return {.name = "bars",
          .title = "Made bars",
          .subtitle = "simulated; n = 6 runs",
          .x = {.label = "allocation",
                .scale = Axis::Scale::categories,
                .categories = {"cpu1", "cpu2", "gpu"}},
          .y = {.label = "time", .unit = "s"},
          .series = {{.name = "forecast",
                      .kind = Kind::bars,
                      .points = {{.x = 0, .y = 30}, {.x = 1, .y = 16}, {.x = 2, .y = 2.5}},
                      .values = true},
                     {.name = "actual",
                      .kind = Kind::bars,
                      .points = {{.x = 0, .y = 28, .low = 26, .high = 31, .note = "3 runs"},
                                 {.x = 1, .y = 15, .low = 15, .high = 15},
                                 {.x = 2, .y = 3}},
                      .values = true}},
          .references = {{.at = 20, .label = "limit"}},
          .notes = {"left out: 1 run"}};
}

/// Lines on logarithmic axes, with a band, a gap, a shaded part and all kinds of references.
inline Chart made_lines() {
  using Kind = Series::Kind;
  using Direction = Reference::Direction;
  return {.name = "lines",
          .title = "Made lines",
          .subtitle = "simulated; n = 9",
          .x = {.label = "workers", .scale = Axis::Scale::log, .marks = {1, 2, 4, 8}},
          .y = {.label = "speed-up", .scale = Axis::Scale::log},
          .series = {{.name = "fit",
                      .kind = Kind::line,
                      .points = {{.x = 1, .y = 1}, {.x = 8, .y = 5}},
                      .look = 0,
                      .dashed = true},
                     {.kind = Kind::band,
                      .points = {{.x = 1, .y = 1, .low = 0.9, .high = 1.1},
                                 {.x = 8, .y = 5, .low = 4, .high = 6}},
                      .look = 0},
                     {.name = "measured",
                      .kind = Kind::line_points,
                      .points = {{.x = 1, .y = 1},
                                 {.x = 2, .y = 1.8, .low = 1.7, .high = 1.9},
                                 {.x = 3, .y = std::nan("")},
                                 {.x = 4, .y = 3.2},
                                 {.x = 8, .y = 4.6}},
                      .look = 0},
                     {.name = "steps",
                      .kind = Kind::steps,
                      .points = {{.x = 1, .y = 1.5}, {.x = 4, .y = 2}, {.x = 8, .y = 2.5}},
                      .faint = true}},
          .references = {{.direction = Direction::diagonal, .at = 1, .label = "ideal"},
                         {.direction = Direction::vertical, .at = 4, .label = "a node is full"},
                         {.at = 2, .label = "a horizontal line with a label longer than others"}},
          .spans = {{.from = 1, .to = 2, .label = "warm-up"}},
          .annotations = {{.x = 8, .y = 4.6, .text = "last"}}};
}

/// "" where `text` is well-formed XML, else what Python's parser says.
inline std::string xml_fault(const std::string& text) {
  const TemporaryFolder folder;
  set_bytes(folder / "x.svg", text);
  const auto result = process::run_command(
      {"python3", "-c", "import sys,xml.dom.minidom as m; m.parse(sys.argv[1])", folder / "x.svg"},
      60);
  return result.ok() ? "" : "not XML: " + result.err;
}

}  // namespace epochcast::plot
