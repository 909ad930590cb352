#include "jobs/live/view.hpp"

#include <algorithm>
#include <limits>

#include "jobs/submit/resubmit.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

using terminal::KeyName;

constexpr int list_frame = 6;  // title, two of totals, heading, message, keys
constexpr int log_frame = 2;   // title, keys

bool contains(const std::string& text, const std::string& lower_part) {
  return to_lower(text).find(lower_part) != std::string::npos;
}

bool is_selected_by(const std::string& filter, const PointStatus& status) {
  const auto part = to_lower(filter);
  return contains(status.point, part) || contains(status.swept, part) ||
         contains(status.allocation, part) || contains(status.job_name, part) ||
         contains(std::string(to_text(status.state)), part);
}

/// What a column is sorted by; rows without a value come last in both directions.
std::optional<double> sort_value(const LivePoint& point, SortBy by) {
  const auto& progress = point.status.progress;
  switch (by) {
    case SortBy::state:
      return static_cast<double>(point.status.state);
    case SortBy::left:
      return progress.left_s;
    case SortBy::done:
      return point.status.state == PointState::complete ? 1 : progress.share;
    case SortBy::loss:
      return progress.loss;
    default:
      return std::nullopt;
  }
}

void sort_rows(std::vector<const LivePoint*>& rows, const View& view) {
  if (view.sort_by == SortBy::point) {
    if (view.descending) {
      std::ranges::reverse(rows);
    }
    return;
  }
  std::ranges::stable_sort(rows, [&](const LivePoint* a, const LivePoint* b) {
    const auto left = sort_value(*a, view.sort_by);
    const auto right = sort_value(*b, view.sort_by);
    if (!left || !right) {
      return left.has_value() && !right.has_value();
    }
    return view.descending ? *left > *right : *left < *right;
  });
}

int index_of(const std::string& point, const std::vector<const LivePoint*>& rows) {
  const auto found =
      std::ranges::find_if(rows, [&](const LivePoint* row) { return row->status.point == point; });
  return found == rows.end() ? -1 : static_cast<int>(found - rows.begin());
}

void move_selection(View& view, const Around& around, int by) {
  const auto rows = rows_of(view, around.snapshot);
  if (rows.empty()) {
    return;
  }
  const auto last = static_cast<int>(rows.size()) - 1;
  const auto to = std::clamp(index_of(view.selected, rows) + by, 0, last);
  view.selected = rows[static_cast<std::size_t>(to)]->status.point;
}

void scroll_log(View& view, const Around& around, std::int64_t by) {
  const auto last_top = std::max(around.log_first, around.log_end - log_height(around.rows));
  view.log_top = std::clamp(view.log_top + by, around.log_first, last_top);
  view.log_follows = view.log_top == last_top;
}

constexpr int everything = std::numeric_limits<int>::max() / 4;

/// How far a key moves; 0: it does not move.
int distance(const terminal::Key& key, int page) {
  const bool letter = key.name == KeyName::character;
  if (key.name == KeyName::up || (letter && key.text == "k")) {
    return -1;
  }
  if (key.name == KeyName::down || (letter && key.text == "j")) {
    return 1;
  }
  if (key.name == KeyName::home || (letter && key.text == "g")) {
    return -everything;
  }
  if (key.name == KeyName::end || (letter && key.text == "G")) {
    return everything;
  }
  if (key.name == KeyName::page_up) {
    return -page;
  }
  return key.name == KeyName::page_down || (letter && key.text == " ") ? page : 0;
}

SortBy next_sort(SortBy by) {
  const auto next = static_cast<int>(by) + 1;
  return next < static_cast<int>(texts_of(Tag<SortBy>{}).size()) ? static_cast<SortBy>(next)
                                                                 : SortBy::point;
}

/// Asks for an action if the selected point allows it, otherwise says why not.
Update ask(View view, Mode mode, bool possible, const std::string& why_not) {
  if (!possible) {
    view.message = why_not;
    return {std::move(view)};
  }
  view.mode = mode;
  return {.view = std::move(view), .asks = true};
}

Update handle_letter(View view, const std::string& letter, const Around& around) {
  const auto* point = selected_point(view, around.snapshot);
  if (letter == "q") {
    return {std::move(view), Request::quit};
  }
  if (letter == "?" || letter == "h") {
    view.mode = Mode::help;
  } else if (letter == "s") {
    view.sort_by = next_sort(view.sort_by);
  } else if (letter == "S") {
    view.descending = !view.descending;
  } else if (letter == "/") {
    view.filter_before = view.filter;
    view.mode = Mode::filter;
  } else if (letter == "u") {
    return {std::move(view), Request::refresh};
  } else if (letter == "c" && point != nullptr) {
    return ask(std::move(view), Mode::ask_cancel, is_active(point->status.state),
               "only a point that waits or runs can be cancelled");
  } else if (letter == "r" && point != nullptr) {
    return ask(std::move(view), Mode::ask_resubmit,
               reason_of(point->status) != ResubmitReason::none,
               "only a point that ended early, is tainted or was disturbed can be submitted again");
  }
  return {std::move(view)};
}

Update open_log(View view, const Around& around) {
  const auto* point = selected_point(view, around.snapshot);
  if (point == nullptr || point->status.log.empty()) {
    view.message = point == nullptr ? "" : point->status.point + " has no log yet";
    return {std::move(view)};
  }
  view.mode = Mode::log;
  view.log_follows = true;
  view.log_left = 0;
  return {std::move(view), Request::open_log};
}

Update handle_list(View view, const terminal::Key& key, const Around& around) {
  view.message.clear();
  if (const int by = distance(key, list_height(around.rows)); by != 0) {
    move_selection(view, around, by);
    return {std::move(view)};
  }
  if (key.name == KeyName::enter || key.text == "l") {
    return open_log(std::move(view), around);
  }
  if (key.name == KeyName::escape) {
    view.filter.clear();
  }
  return key.name == KeyName::character ? handle_letter(std::move(view), key.text, around)
                                        : Update{std::move(view)};
}

Update handle_filter(View view, const terminal::Key& key) {
  if (key.name == KeyName::enter) {
    view.mode = Mode::list;
  } else if (key.name == KeyName::escape) {
    view.filter = view.filter_before;
    view.mode = Mode::list;
  } else if (key.name == KeyName::character) {
    view.filter += key.text;
  } else if (key.name == KeyName::backspace && !view.filter.empty()) {
    auto start = view.filter.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(view.filter[start]) & 0xC0) == 0x80) {
      --start;  // to the first byte of the character
    }
    view.filter.resize(start);
  }
  return {std::move(view)};
}

Update handle_log(View view, const terminal::Key& key, const Around& around) {
  constexpr int sideways = 8;
  if (const int by = distance(key, log_height(around.rows)); by != 0) {
    scroll_log(view, around, by);
  } else if (key.name == KeyName::right) {
    view.log_left += sideways;
  } else if (key.name == KeyName::left) {
    view.log_left = std::max(0, view.log_left - sideways);
  } else if (key.text == "f") {
    scroll_log(view, around, everything);
  } else if (key.text == "q" || key.text == "l" || key.name == KeyName::escape ||
             key.name == KeyName::enter) {
    view.mode = Mode::list;
  }
  return {std::move(view)};
}

Update handle_question(View view, const terminal::Key& key) {
  const auto request = view.mode == Mode::ask_cancel ? Request::cancel : Request::resubmit;
  view.mode = Mode::list;
  const bool yes = key.text == "y" || key.text == "Y";
  return {std::move(view), yes ? request : Request::none};
}

}  // namespace

std::vector<const LivePoint*> rows_of(const View& view, const Snapshot& snapshot) {
  std::vector<const LivePoint*> rows;
  for (const auto& point : snapshot.points) {
    if (is_selected_by(view.filter, point.status)) {
      rows.push_back(&point);
    }
  }
  sort_rows(rows, view);
  return rows;
}

const LivePoint* selected_point(const View& view, const Snapshot& snapshot) {
  const auto rows = rows_of(view, snapshot);
  const int at = index_of(view.selected, rows);
  return at < 0 ? nullptr : rows[static_cast<std::size_t>(at)];
}

int list_height(int rows) {
  return std::max(1, rows - list_frame);
}

int log_height(int rows) {
  return std::max(1, rows - log_frame);
}

Update handle(View view, const terminal::Key& key, const Around& around) {
  if (key.name == KeyName::none || key.name == KeyName::other) {
    return {std::move(view)};
  }
  switch (view.mode) {
    case Mode::filter:
      return handle_filter(std::move(view), key);
    case Mode::log:
      return handle_log(std::move(view), key, around);
    case Mode::help:
      view.mode = Mode::list;
      return {std::move(view)};
    case Mode::ask_cancel:
    case Mode::ask_resubmit:
      return handle_question(std::move(view), key);
    default:
      return handle_list(std::move(view), key, around);
  }
}

View settled(View view, const Around& around) {
  const auto rows = rows_of(view, around.snapshot);
  const int height = list_height(around.rows);
  int at = index_of(view.selected, rows);
  if (at < 0 && view.mode != Mode::list && view.mode != Mode::filter && view.mode != Mode::help) {
    view.mode = Mode::list;  // a question must not turn to another point
    view.message = view.selected + " is no longer in the list";
  }
  if (at < 0 && !rows.empty()) {
    at = std::clamp(view.top, 0, static_cast<int>(rows.size()) - 1);
    view.selected = rows[static_cast<std::size_t>(at)]->status.point;
  }
  const int last_top = std::max(0, static_cast<int>(rows.size()) - height);
  view.top = std::clamp(view.top, std::max(0, at - height + 1), std::max(0, at));
  view.top = std::min(view.top, last_top);
  scroll_log(view, around, view.log_follows ? everything : 0);
  return view;
}

std::vector<std::pair<std::string, std::string>> key_help() {
  return {{"↑ ↓  j k", "select a point; Page Up, Page Down, g, G: further"},
          {"Enter  l", "open the log of the point; Esc, q: back to the list"},
          {"", "in the log: ↑ ↓ ← → scroll, G or f follows its end"},
          {"s  S", "sort by point, state, left, done, loss; the other way round"},
          {"/", "show only points that contain a text; Esc: all of them"},
          {"c", "cancel the job of the point; of a job of several, only this point (asks)"},
          {"r", "submit a point that has ended again (asks)"},
          {"u", "read everything again now"},
          {"Ctrl-Z", "suspend; fg comes back"},
          {"q  Ctrl-C", "leave; jobs go on"}};
}

}  // namespace epochcast::jobs
