#include "src/output/plot/theme.hpp"

#include <fmt/format.h>

#include <array>

#include "src/output/plot/elements.hpp"
#include "src/output/plot/svg.hpp"

namespace epochcast::plot {
namespace {

/// A colour of the picture: its variable, and its values on light and dark ground.
struct Color {
  const char* name;
  const char* light;
  const char* dark;
};

// After Okabe and Ito (2008), "Color Universal Design". On light ground darker where theirs has a
// contrast below 3 to 1 (WCAG 2.1, 1.4.11), on dark ground lighter.
constexpr std::array palette{
    Color{"1", "#0072b2", "#56b4e9"}, Color{"2", "#d55e00", "#ff8c42"},
    Color{"3", "#00845f", "#2fc89b"}, Color{"4", "#b0568c", "#e79ac2"},
    Color{"5", "#9a6b00", "#f0b429"}, Color{"6", "#3d8fb8", "#a6d8f5"},
    Color{"7", "#6b6b6b", "#b5b5b5"}, Color{"8", "#5b4fa8", "#b3a8f0"},
};
static_assert(palette.size() == colors);

constexpr Color text_color{"text", "#1a1a1a", "#ececec"};
constexpr Color quiet_color{"quiet", "#595959", "#b0b0b0"};
constexpr Color grid_color{"grid", "#e3e3e3", "#3a3d42"};
constexpr Color ground_color{"ground", "#ffffff", "#17191c"};

std::string color_value(const Color& color, Colors which) {
  switch (which) {
    case Colors::light:
      return color.light;
    case Colors::dark:
      return color.dark;
    case Colors::variables:
      break;
  }
  return fmt::format("var(--plot-{})", color.name);
}

std::string variables(const char* Color::*ground) {
  std::string text;
  for (const auto& color : palette) {
    text += fmt::format("--plot-{}:{};", color.name, color.*ground);
  }
  for (const auto& color : {text_color, quiet_color, grid_color, ground_color}) {
    text += fmt::format("--plot-{}:{};", color.name, color.*ground);
  }
  return text;
}

}  // namespace

Look look_of(const Series& series, std::size_t place) {
  static const std::array<std::string, 4> dashes{"", "8 3", "2 2.5", "8 3 2 3"};
  const auto look = static_cast<std::size_t>(series.look.value_or(static_cast<int>(place)));
  const bool marked = series.kind == Series::Kind::line_points;
  return {.color = static_cast<int>(look % colors) + 1,
          .marker = static_cast<int>(look % 7),
          .dash = series.dashed                        ? "6 4"
                  : marked && look < dashes.size() * 2 ? ""
                                                       : dashes[look % dashes.size()]};
}

std::string marker(int shape, double x, double y, double radius, const std::string& classes) {
  const auto path = [&](const std::string& d) {
    return fmt::format(R"(<path class="{}" d="{}")", classes, d);
  };
  const double r = radius;
  switch (shape % 7) {
    case 0:
      return fmt::format(R"(<circle class="{}" cx="{}" cy="{}" r="{}")", classes, px(x), px(y),
                         px(r));
    case 1:
      return path(fmt::format("M{} {}h{}v{}h{}z", px(x - .9 * r), px(y - .9 * r), px(1.8 * r),
                              px(1.8 * r), px(-1.8 * r)));
    case 2:
      return path(fmt::format("M{} {}l{} {}h{}z", px(x), px(y - 1.2 * r), px(1.15 * r), px(2 * r),
                              px(-2.3 * r)));
    case 3:
      return path(fmt::format("M{} {}l{} {}l{} {}l{} {}z", px(x), px(y - 1.3 * r), px(1.3 * r),
                              px(1.3 * r), px(-1.3 * r), px(1.3 * r), px(-1.3 * r), px(-1.3 * r)));
    case 4:
      return path(fmt::format("M{} {}l{} {}h{}z", px(x), px(y + 1.2 * r), px(1.15 * r), px(-2 * r),
                              px(-2.3 * r)));
    case 5: {
      const double a = 0.45 * r;
      const double b = 0.8 * r;
      return path(fmt::format("M{} {}h{}v{}h{}v{}h{}v{}h{}v{}h{}v{}h{}z", px(x - a), px(y - a - b),
                              px(2 * a), px(b), px(b), px(2 * a), px(-b), px(b), px(-2 * a), px(-b),
                              px(-b), px(-2 * a), px(b)));
    }
    default:
      return path(fmt::format("M{} {}l{} {}v{}l{} {}l{} {}v{}z", px(x), px(y - 1.15 * r), px(r),
                              px(.58 * r), px(1.15 * r), px(-r), px(.58 * r), px(-r), px(-.58 * r),
                              px(-1.15 * r)));
  }
}

std::string rules(Colors which) {
  const auto color = [&](const Color& one) { return color_value(one, which); };
  std::string text = fmt::format(
      ".plot-ground{{fill:{0}}}"
      ".plot text{{fill:{1};font-family:system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
      "font-size:12px}}"
      ".plot .plot-title{{font-size:17px;font-weight:600}}"
      ".plot .plot-subtitle{{font-size:13px;fill:{2}}}"
      ".plot .plot-label{{font-size:13px}}"
      ".plot .plot-tick,.plot .plot-note{{fill:{2}}}"
      ".plot .plot-halo{{paint-order:stroke;stroke:{0};stroke-width:4px;stroke-linejoin:round}}"
      ".plot-grid{{stroke:{3};fill:none}}"
      ".plot-axis{{stroke:{2};fill:none}}"
      ".plot-reference{{stroke:{2};fill:none;stroke-dasharray:5 4;stroke-width:1.3px}}"
      ".plot-span{{fill:{2};fill-opacity:.13}}"
      ".plot-line{{fill:none;stroke-width:2.2px;stroke-linejoin:round;stroke-linecap:round}}"
      ".plot-thin{{stroke-width:1px}}"
      ".plot-whisker{{fill:none;stroke-width:1.4px}}"
      ".plot-onbar{{stroke:{1};fill:none;stroke-width:1.4px}}"
      ".plot-point{{stroke:{0};stroke-width:1px}}"
      ".plot-band{{fill-opacity:.2;stroke:none}}"
      ".plot-faint{{opacity:.35}}"
      ".plot-hit{{fill:transparent;stroke:none}}",
      color(ground_color), color(text_color), color(quiet_color), color(grid_color));
  for (const auto& one : palette) {
    text += fmt::format(".plot-f{0}{{fill:{1}}}.plot-l{0}{{stroke:{1}}}", one.name, color(one));
  }
  return text;
}

std::string stylesheet() {
  return fmt::format(
      ":where(:root){{{}}}@media(prefers-color-scheme:dark){{:where(:root){{{}}}}}{}",
      variables(&Color::light), variables(&Color::dark), rules(Colors::variables));
}

}  // namespace epochcast::plot
