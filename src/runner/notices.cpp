#include "src/runner/notices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "src/base/core/text.hpp"

namespace epochcast::runner {
namespace {

constexpr double quiet_s = 0.5;
constexpr double title_every_s = 5;

/// "14:32", or "14:32:05" with seconds; with the date if it is another day than `now`.
std::string time_text(double when, double now, bool seconds) {
  const auto parts = [](double at) {
    const auto whole = static_cast<std::time_t>(std::llround(at));
    std::tm broken{};
    localtime_r(&whole, &broken);
    return broken;
  };
  const std::tm then = parts(when);
  const std::tm today = parts(now);
  const auto clock = fmt::format("{:02}:{:02}", then.tm_hour, then.tm_min) +
                     (seconds ? fmt::format(":{:02}", then.tm_sec) : "");
  const bool same_day = then.tm_yday == today.tm_yday && then.tm_year == today.tm_year;
  return same_day ? clock
                  : fmt::format("{}-{:02}-{:02} {}", then.tm_year + 1900, then.tm_mon + 1,
                                then.tm_mday, clock);
}

/// Rounded so that no digit is shown that the forecast does not know.
double rounded(double s) {
  const double step = s < 120 ? 1 : s < 7200 ? 60 : s < 172800 ? 600 : 3600;
  return std::max(0.0, std::round(s / step) * step);
}

bool knows_titles() {
  const char* terminal = std::getenv("TERM");
  const std::string_view name = terminal == nullptr ? "" : terminal;
  return !name.empty() && name != "dumb" && name != "linux";
}

}  // namespace

std::string eta_text(const forecast::Forecast& forecast, const std::string& place, double now_s,
                     double now) {
  constexpr double few_minutes_s = 300;
  const double low_s = std::max(now_s, forecast.total_s.interval_95.low);
  const bool seconds = forecast.total_s.interval_95.high - low_s < few_minutes_s;
  const auto at = [&](double total_s) { return time_text(now + total_s - now_s, now, seconds); };
  return fmt::format("{}; done at about {} ({} to {}), in {}", place, at(forecast.total_s.value),
                     at(low_s), at(forecast.total_s.interval_95.high),
                     format_duration(rounded(forecast.total_s.value - now_s)));
}

Notices::Notices(Outlet& outlet, bool is_terminal)
    : outlet_(outlet), is_terminal_(is_terminal), has_title_(is_terminal && knows_titles()) {}

Notices::~Notices() {
  if (title_is_set_) {
    outlet_.add_sequence("\033[23;2t");  // the title before
  }
}

void Notices::watch(const Eta& eta, double now_s) {
  constexpr double share_of_run = 0.05;
  constexpr double least_s = 60;
  constexpr double most_s = 1800;
  if (!eta.forecast() || eta.is_done()) {
    if (!offered_.empty() && waiting_.empty() && outlet_.offer_line("")) {
      offered_.clear();
    }
    return;
  }
  bool is_told = waiting_.empty() && was_taken();
  const bool line_is_due = !is_told && now_s >= next_line_s_;
  const bool title_is_due = has_title_ && now_s >= next_title_s_;
  if (line_is_due || title_is_due) {
    const auto text = eta_text(*eta.forecast_at(now_s), eta.place(), now_s,
                               static_cast<double>(std::time(nullptr)));
    if (title_is_due) {
      next_title_s_ = now_s + title_every_s;
      set_title(text);
    }
    is_told = is_told || (line_is_due && waiting_.empty() && tell_now("epochcast-run: " + text));
  }
  if (is_told) {
    next_line_s_ =
        now_s + std::clamp(share_of_run * eta.forecast()->total_s.value, least_s, most_s);
  }
}

/// Writes the line, or offers it for the program's next one.
bool Notices::tell_now(const std::string& line) {
  if (outlet_.add_line(line, is_terminal_ ? quiet_s : 0)) {
    offered_.clear();
    return true;
  }
  if (outlet_.offer_line(line)) {
    offered_ = line;
  }
  return false;
}

/// Whether the line that was offered has been written since.
bool Notices::was_taken() {
  const bool taken = !offered_.empty() && outlet_.took_line();
  offered_ = taken ? "" : offered_;
  return taken;
}

void Notices::set_title(const std::string& text) {
  const std::string save = title_is_set_ ? "" : "\033[22;2t";
  title_is_set_ = outlet_.add_sequence(save + "\033]2;" + text + "\007") || title_is_set_;
}

void Notices::tell(const std::string& line) {
  if (!line.empty()) {
    waiting_.push_back(line);
  }
}

void Notices::flush(bool at_end) {
  while (!waiting_.empty()) {
    const auto line = "epochcast-run: " + waiting_.front();
    const bool is_this = offered_ == line;
    if (!(was_taken() && is_this) && !tell_now(line)) {
      break;
    }
    waiting_.erase(waiting_.begin());
  }
  if (at_end) {
    outlet_.offer_line("");
    for (const auto& line : waiting_) {
      outlet_.pass_on("\nepochcast-run: " + line + "\n");
    }
    waiting_.clear();
  }
}

}  // namespace epochcast::runner
