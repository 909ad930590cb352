#include "jobs/live/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "src/base/core/clock.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

using terminal::Grid;
using terminal::Size;
using terminal::Style;

Style style_of(PointState state) {
  switch (state) {
    case PointState::complete:
      return Style::good;
    case PointState::running:
      return Style::active;
    case PointState::stopped:
      return Style::warning;
    case PointState::failed:
    case PointState::lost:
    case PointState::missing:
      return Style::bad;
    default:
      return Style::dim;
  }
}

/// The local time of day: with seconds if it is near `now_s`, with the date if that is another day.
std::string time_text(double at_s, double now_s) {
  const auto stamp = [](double s) {
    return iso8601(std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(
            std::chrono::duration<double>(s))));
  };
  constexpr std::size_t day_size = 10, time_at = 11, minutes_size = 5, seconds_size = 8;
  constexpr double near_s = 600;
  const auto text = stamp(at_s);
  const bool is_near = std::abs(at_s - now_s) < near_s;
  const auto time = text.substr(time_at, is_near ? seconds_size : minutes_size);
  return text.starts_with(stamp(now_s).substr(0, day_size)) ? time
                                                            : text.substr(0, day_size) + " " + time;
}

std::string percent(double share) {
  return fmt::format("{:.0f}%", std::floor(100 * share));
}

std::string percent(const std::optional<double>& share) {
  return share ? percent(*share) : "";
}

std::string left_text(const Progress& progress) {
  if (!progress.left_s) {
    return "";
  }
  const auto text = short_duration(*progress.left_s);
  return progress.left_low_s && progress.left_high_s
             ? fmt::format("{} ({}–{})", text, short_duration(*progress.left_low_s),
                           short_duration(*progress.left_high_s))
             : text;
}

/// A column of the list: its heading, the text of a point, and how to show it.
struct ListColumn {
  std::string heading;
  std::string (*text)(const LivePoint&);
  bool right = false;   ///< Numbers are aligned at their end.
  bool always = false;  ///< Shown without a value too.
  bool words = false;   ///< Cut first where the screen is narrow.
};

std::string epoch_text(const LivePoint& point) {
  const auto& progress = point.status.progress;
  return progress.epoch && progress.epochs ? fmt::format("{}/{}", *progress.epoch, *progress.epochs)
                                           : "";
}

std::string loss_text(const LivePoint& point) {
  const auto& progress = point.status.progress;
  const auto name = progress.loss_name == "loss" ? "" : progress.loss_name + " ";
  return progress.loss ? fmt::format("{}{:.4g}", name, *progress.loss) : "";
}

std::string bar_of(const LivePoint& point) {
  constexpr int width = 10;
  const auto& share = point.status.progress.share;
  return share ? fmt::format("{} {:>4}", bar_text(*share, width), percent(*share)) : "";
}

std::string share_of_point(const LivePoint& point) {
  return percent(point.status.progress.share);
}

template <std::size_t shown>
std::string rate_text(const LivePoint& point) {
  const auto& rate = efficiency::shown_rates[shown];
  const auto value = rate.of(point.status.progress.rates);
  return value ? fmt::format("{:.{}f}", *value, rate.decimals) : "";
}

/// Why a point is not complete, or why its times need a second look.
std::string reason_text(const LivePoint& point) {
  const auto& status = point.status;
  if (status.state == PointState::running) {
    for (const auto& warning :
         {limit_warning(status.progress), efficiency::mfu_warning(status.progress.rates)}) {
      if (!warning.empty()) {
        return warning;
      }
    }
    return status.reason;
  }
  if (status.state != PointState::complete) {
    return status.reason;
  }
  return status.tainted.empty() ? status.disturbed : status.tainted;
}

/// `bars`: with a bar beside the percentage.
std::vector<ListColumn> list_columns(bool bars) {
  return {{"swept", [](const LivePoint& p) { return p.status.swept; }},
          {"state", [](const LivePoint& p) { return std::string(to_text(p.status.state)); }, false,
           true},
          {"done", bars ? bar_of : share_of_point},
          {"epoch", epoch_text, true},
          {"left (95 %)", [](const LivePoint& p) { return left_text(p.status.progress); }, true},
          {"CPU", [](const LivePoint& p) { return percent(p.use.cpu); }, true},
          {"GPU", [](const LivePoint& p) { return percent(p.use.gpu); }, true},
          {"loss", loss_text, true},
          {"samples/s", rate_text<0>, true},
          {"tokens/s", rate_text<1>, true},
          {"TFLOP/s", rate_text<2>, true},
          {"MFU %", rate_text<3>, true},
          {"job", [](const LivePoint& p) { return p.status.job_name; }, false, false, true},
          {"reason", reason_text, false, false, true}};
}

/// A column with its place.
struct PlacedColumn {
  ListColumn column;
  int start = 0;
  int width = 0;
};

struct Layout {
  int name_width = 0;
  std::vector<PlacedColumn> columns;
};

constexpr int name_start = 2;

/// The width that the texts of a column need; 0: no row has one.
int width_of(const ListColumn& column, const std::vector<const LivePoint*>& rows) {
  int width = 0;
  for (const auto* row : rows) {
    width = std::max(width, terminal::columns_of(column.text(*row)));
  }
  return width > 0 || column.always ? std::max(width, terminal::columns_of(column.heading)) : 0;
}

/// The columns that have values, from the left, as far as the screen reaches. Bars go first, then
/// names are cut; columns of words have what is left.
Layout layout_of(const std::vector<const LivePoint*>& rows, int columns, bool bars = true) {
  constexpr int gap = 2, least_name = 16, least_cut = 8;
  Layout layout{.name_width = terminal::columns_of("point")};
  for (const auto* row : rows) {
    layout.name_width = std::max(layout.name_width, terminal::columns_of(row->status.point));
  }
  int needed = name_start;
  for (const auto& column : list_columns(bars)) {
    if (const int width = width_of(column, rows); width > 0) {
      layout.columns.push_back({column, 0, width});
      needed += column.words ? 0 : gap + width;
    }
  }
  if (bars && needed + layout.name_width > columns) {
    return layout_of(rows, columns, false);
  }
  layout.name_width = std::min(layout.name_width, std::max(least_name, columns - needed));
  int at = name_start + layout.name_width + gap;
  for (auto& placed : layout.columns) {
    placed.start = at;
    const int room = columns - at;
    placed.width = placed.width <= room || room >= least_cut ? std::min(placed.width, room) : 0;
    at += placed.width + gap;
  }
  std::erase_if(layout.columns, [](const PlacedColumn& placed) { return placed.width <= 0; });
  return layout;
}

void draw_row(Grid& grid, int row, const Layout& layout, const LivePoint& point, bool selected) {
  const auto style = style_of(point.status.state);
  grid.put(row, 0, selected ? "▶" : " ", Style::bold);
  grid.put(row, name_start, point.status.point, selected ? Style::bold : Style::plain,
           layout.name_width);
  for (const auto& [column, start, width] : layout.columns) {
    const auto text = column.text(point);
    const bool colored = column.always || column.text == bar_of;
    const int indent = column.right ? std::max(0, width - terminal::columns_of(text)) : 0;
    grid.put(row, start + indent, text, colored ? style : Style::plain, width);
  }
}

std::string finish_text(const Snapshot& snapshot) {
  const auto count = [&](PointState state) {
    return std::ranges::count_if(snapshot.points,
                                 [&](const LivePoint& p) { return p.status.state == state; });
  };
  if (count(PointState::running) == 0) {
    return count(PointState::pending) == 0 ? "no job is pending or running" : "no job is running";
  }
  const auto finish = finish_of(snapshot);
  if (!finish) {
    return "too early to say when the running jobs end";
  }
  const auto text = [&](double at_s) { return time_text(at_s, snapshot.at_s); };
  const auto waiting = count(PointState::pending) + count(PointState::fresh);
  return fmt::format("running jobs end about {} (95 %: {} to {}){}", text(finish->at_s),
                     text(finish->low_s), text(finish->high_s),
                     waiting > 0 ? fmt::format("; {} not started", waiting) : "");
}

void draw_totals(Grid& grid, const Snapshot& snapshot) {
  constexpr int bar_width = 20;
  const int columns = grid.size().columns;
  grid.put(0, 0, snapshot.folder, Style::bold);
  if (snapshot.at_s == 0) {
    grid.put(1, 0, "reading the records ...", Style::dim);
    return;
  }
  grid.put_right(0, columns, "  " + time_text(snapshot.at_s, snapshot.at_s), Style::dim);
  const double share = share_done(snapshot);
  int at = grid.put(1, 0, bar_text(share, bar_width), Style::active);
  at = grid.put(1, at + 1, fmt::format("{}  {}", percent(share), counts_text(snapshot.points)));
  const auto finish = finish_text(snapshot);
  if (at + 3 + terminal::columns_of(finish) <= columns) {
    grid.put_right(1, columns, finish, Style::bold);
  } else {
    grid.put(2, 0, finish, Style::bold);
  }
}

std::string order_text(const View& view) {
  return fmt::format("sorted by {}{}", to_text(view.sort_by), view.descending ? ", reversed" : "");
}

/// The line above the keys: a question, the filter that is being typed, a result.
void draw_message(Grid& grid, const View& view, const Snapshot& snapshot) {
  const int row = grid.size().rows - 2;
  if (view.mode == Mode::ask_cancel) {
    const auto* point = selected_point(view, snapshot);
    grid.put(row, 0,
             point != nullptr && point->status.points_of_job > 1
                 ? fmt::format("End only {}? Other points of its job {} go on. y/n", view.selected,
                               point->status.job_name)
                 : fmt::format("Cancel the job of {}? y/n", view.selected),
             Style::warning);
  } else if (view.mode == Mode::ask_resubmit) {
    grid.put(row, 0, fmt::format("Submit {} again? y/n", view.selected), Style::warning);
  } else if (view.mode == Mode::filter) {
    grid.put(grid.size().rows - 2, 0, "/" + view.filter + "_", Style::bold);
  } else if (!view.message.empty()) {
    grid.put(row, 0, view.message, Style::warning);
  } else if (!snapshot.note.empty()) {
    grid.put(row, 0, snapshot.note, Style::warning);
  } else if (!view.filter.empty()) {
    grid.put(row, 0, fmt::format("only points with '{}' (Esc: all)", view.filter), Style::dim);
  }
}

void draw_keys(Grid& grid, const std::string& keys) {
  const int row = grid.size().rows - 1;
  grid.put(row, 0, std::string(static_cast<std::size_t>(grid.size().columns), ' '));
  grid.put(row, 0, keys);
  grid.style_row(row, Style::inverse);
}

void draw_list(Grid& grid, const View& view, const Snapshot& snapshot) {
  constexpr int heading_row = 3, first_row = 4;
  const auto rows = rows_of(view, snapshot);
  const auto layout = layout_of(rows, grid.size().columns);
  draw_totals(grid, snapshot);
  grid.put(heading_row, name_start, "point", Style::dim);
  for (const auto& [column, start, width] : layout.columns) {
    const int indent = column.right ? std::max(0, width - terminal::columns_of(column.heading)) : 0;
    grid.put(heading_row, start + indent, column.heading, Style::dim);
  }
  for (int i = 0; i < list_height(grid.size().rows); ++i) {
    const auto at = static_cast<std::size_t>(view.top) + static_cast<std::size_t>(i);
    if (at < rows.size()) {
      const auto& point = *rows[at];
      draw_row(grid, first_row + i, layout, point, point.status.point == view.selected);
    }
  }
  draw_message(grid, view, snapshot);
  draw_keys(grid, fmt::format(" q quit  ? help  Enter log  / filter  s sort  c cancel  r resubmit "
                              "   {}, {} of {}",
                              order_text(view), rows.size(), snapshot.points.size()));
}

void draw_log(Grid& grid, const View& view, const LogTail& log) {
  const auto size = grid.size();
  grid.put(0, 0, fmt::format("{}  {}", view.selected, log.path()), Style::bold);
  for (int row = 0; row < log_height(size.rows); ++row) {
    grid.put(1 + row, -view.log_left, log.line(view.log_top + row));
  }
  draw_keys(grid,
            fmt::format(" q back  ↑↓←→ scroll  f follow    lines {} to {} of {}{}",
                        view.log_top - log.first() + 1,
                        std::min(log.end(), view.log_top + log_height(size.rows)) - log.first(),
                        log.end() - log.first(), view.log_follows ? ", follows" : ""));
}

void draw_help(Grid& grid) {
  constexpr int text_column = 16;
  grid.put(0, 0, "Keys", Style::bold);
  int row = 2;
  for (const auto& [key, meaning] : key_help()) {
    grid.put(row, 2, key, Style::bold);
    grid.put(row++, text_column, meaning);
  }
  grid.put(row + 1, 2, "left: forecast from the steps so far, with its prediction interval of 95 %",
           Style::dim);
  draw_keys(grid, " any key: back");
}

}  // namespace

std::string short_duration(double seconds) {
  const auto s = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds)));
  constexpr std::int64_t minute = 60, hour = 3600, day = 86400;
  if (s < 2 * minute) {
    return fmt::format("{}s", s);
  }
  const auto m = (s + minute / 2) / minute * minute;
  if (m < hour) {
    return fmt::format("{}m", m / minute);
  }
  return m < day ? fmt::format("{}h{:02}m", m / hour, m % hour / minute)
                 : fmt::format("{}d{:02}h", m / day, m % day / hour);
}

std::string bar_text(double share, int width) {
  const auto halves = static_cast<int>(2 * width * std::clamp(share, 0.0, 1.0));
  std::string text;
  for (int i = 0; i < width; ++i) {
    text += 2 * i + 1 < halves ? "█" : 2 * i < halves ? "▌" : "░";
  }
  return text;
}

terminal::Grid draw(const View& view, const Snapshot& snapshot, const LogTail* log, Size size) {
  Grid grid(size);
  constexpr Size least{.rows = 8, .columns = 40};
  if (size.rows < least.rows || size.columns < least.columns) {
    grid.put(0, 0, fmt::format("needs {} x {}", least.columns, least.rows));
  } else if (view.mode == Mode::help) {
    draw_help(grid);
  } else if (view.mode == Mode::log && log != nullptr) {
    draw_log(grid, view, *log);
  } else {
    draw_list(grid, view, snapshot);
  }
  return grid;
}

}  // namespace epochcast::jobs
