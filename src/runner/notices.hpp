// What epochcast-run itself tells while the program runs: when it will be done, and warnings.
#pragma once

#include <string>
#include <vector>

#include "src/runner/eta.hpp"
#include "src/runner/outlet.hpp"

namespace epochcast::runner {

/// A program that ends before gets no message.
inline constexpr double first_notice_s = 10;

/// "epoch 3 of 10; done at about 14:32 (14:20 to 14:51), in 12m"; with seconds where the times lie
/// within a few minutes. `now`: seconds since 1970.
std::string eta_text(const forecast::Forecast& forecast, const std::string& place, double now_s,
                     double now);

/// Never touches a line that the program is drawing. A line of ours is written only where the
/// program has ended its own line and, on a terminal, has been quiet for half a second, or begins
/// its next line (Outlet::offer_line); until then it waits. On a terminal, the window title has the
/// same text, which needs no place on the screen.
class Notices {
 public:
  Notices(Outlet& outlet, bool is_terminal);
  ~Notices();
  Notices(Notices&&) = delete;

  /// Tells the forecast where that is due: a line after first_notice_s, then every minute, and more
  /// seldom in long runs; the title every 5 s.
  void watch(const Eta& eta, double now_s);
  /// Tells a line as soon as there is a place for it; "": nothing.
  void tell(const std::string& line);
  /// Writes what waits. At the end, also where the program has left a line open.
  void flush(bool at_end = false);

 private:
  bool tell_now(const std::string& line);
  bool was_taken();
  void set_title(const std::string& text);

  Outlet& outlet_;
  bool is_terminal_;
  bool has_title_;
  bool title_is_set_ = false;
  double next_line_s_ = first_notice_s;
  double next_title_s_ = 5;
  std::vector<std::string> waiting_;
  std::string offered_;  ///< To the outlet, for the next line that the program begins.
};

}  // namespace epochcast::runner
