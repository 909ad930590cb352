// The state of the live view and what a key does to it: a pure function, without a terminal.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "jobs/live/snapshot.hpp"
#include "src/base/core/enum_text.hpp"
#include "src/output/terminal/screen.hpp"

namespace epochcast::jobs {

enum class SortBy { point, state, left, done, loss };
constexpr auto texts_of(Tag<SortBy>) {
  return std::array{EnumText<SortBy>{SortBy::point, "point"},
                    EnumText<SortBy>{SortBy::state, "state"},
                    EnumText<SortBy>{SortBy::left, "left"}, EnumText<SortBy>{SortBy::done, "done"},
                    EnumText<SortBy>{SortBy::loss, "loss"}};
}

enum class Mode {
  list,
  filter,        ///< A filter is being typed.
  log,           ///< The log of the selected point.
  help,          ///< The keys.
  ask_cancel,    ///< Waits for y.
  ask_resubmit,  ///< Waits for y.
};

struct View {
  Mode mode = Mode::list;
  std::string selected;  ///< A point; it stays selected when the order changes.
  int top = 0;           ///< The first row of the list on the screen.
  SortBy sort_by = SortBy::point;
  bool descending = false;
  std::string filter;         ///< Points that contain it in a text; upper and lower case are alike.
  std::string filter_before;  ///< What Escape brings back.
  std::string message;        ///< The result of the last action.
  std::int64_t log_top = 0;   ///< The first line of the log on the screen.
  int log_left = 0;           ///< The first column of it.
  bool log_follows = true;    ///< The end of the log stays on the screen.
};

/// What the view asks its surroundings to do.
enum class Request { none, quit, open_log, cancel, resubmit, refresh };

struct Update {
  View view;
  Request request = Request::none;
  /// A question was asked: keys that were pressed before it appeared must not answer it.
  bool asks = false;
};

/// What a key needs to know besides the view.
struct Around {
  const Snapshot& snapshot;
  int rows = 24;               ///< Of the terminal.
  std::int64_t log_first = 0;  ///< Lines of the open log: log_first .. log_end.
  std::int64_t log_end = 0;
};

/// The rows of the list: the points that the filter selects, in the order of the view.
std::vector<const LivePoint*> rows_of(const View& view, const Snapshot& snapshot);

/// The selected point; nullptr if there is none, or the filter hides it.
const LivePoint* selected_point(const View& view, const Snapshot& snapshot);

/// Rows that the list has on a terminal of `rows` rows, and a log.
int list_height(int rows);
int log_height(int rows);

/// The view after a key.
Update handle(View view, const terminal::Key& key, const Around& around);

/// The view with a selection that exists, scrolled so that it is on the screen; a log that follows
/// shows its end. To be called after every change of the data, the size or the view.
View settled(View view, const Around& around);

/// Key -> what it does; the page of '?'.
std::vector<std::pair<std::string, std::string>> key_help();

}  // namespace epochcast::jobs
