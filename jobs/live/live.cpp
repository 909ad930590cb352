#include "jobs/live/live.hpp"

#include <signal.h>

#include <memory>
#include <optional>
#include <utility>

#include "jobs/live/draw.hpp"
#include "jobs/live/watcher.hpp"
#include "src/output/terminal/screen.hpp"

namespace epochcast::jobs {
namespace {

class Session {
 public:
  Session(const std::string& out, const std::vector<std::string>& filters, terminal::Screen& screen)
      : watcher_(out, filters), screen_(screen) {}

  /// Until the user leaves or a signal arrives.
  void run() {
    constexpr int pause_ms = 200;
    while (terminal::Screen::end_signal() == 0) {
      take_news();
      show_if_changed();
      const auto key = screen_.wait(pause_ms);
      if (key.name != terminal::KeyName::none && !press(key)) {
        return;
      }
    }
  }

 private:
  Around around() const {
    return {*snapshot_, screen_.size().rows, log_ ? log_->first() : 0, log_ ? log_->end() : 0};
  }

  void take_news() {
    if (auto snapshot = watcher_.snapshot(); snapshot != snapshot_) {
      snapshot_ = std::move(snapshot);
      changed_ = true;
    }
    for (auto& message : watcher_.take_messages()) {
      view_.message = std::move(message);
      changed_ = true;
    }
    if (view_.mode == Mode::log && log_) {
      const auto end = log_->end();
      log_->read_on();
      changed_ = changed_ || log_->end() != end;
    }
  }

  void show_if_changed() {
    const auto size = screen_.size();
    if (!changed_ && size == shown_size_) {
      return;
    }
    view_ = settled(std::move(view_), around());
    screen_.draw(draw(view_, *snapshot_, log_ ? &*log_ : nullptr, size));
    shown_size_ = size;
    changed_ = false;
  }

  /// Returns false if the user leaves.
  bool press(const terminal::Key& key) {
    auto update = handle(std::move(view_), key, around());
    view_ = std::move(update.view);
    changed_ = true;
    if (update.asks) {
      screen_.discard_keys();
    }
    const auto* point = selected_point(view_, *snapshot_);
    switch (update.request) {
      case Request::quit:
        return false;
      case Request::refresh:
        watcher_.refresh();
        break;
      case Request::open_log:
        log_.emplace(point->status.log);
        break;
      case Request::cancel:
        view_.message = "cancelling ...";
        watcher_.cancel(point->status);
        break;
      case Request::resubmit:
        view_.message = "submitting ...";
        watcher_.resubmit(point->status);
        break;
      case Request::none:
        break;
    }
    return true;
  }

  Watcher watcher_;
  terminal::Screen& screen_;
  std::shared_ptr<const Snapshot> snapshot_ = watcher_.snapshot();
  View view_;
  std::optional<LogTail> log_;
  terminal::Size shown_size_;
  bool changed_ = true;
};

}  // namespace

bool watch_live(const std::string& out, const std::vector<std::string>& filters,
                std::string& reason) {
  auto screen = terminal::Screen::open(reason);
  if (screen == nullptr) {
    return false;
  }
  Session session(out, filters, *screen);
  session.run();
  screen.reset();  // at once: the end of the session may wait for the scheduler
  if (const int number = terminal::Screen::end_signal(); number != 0) {
    signal(number, SIG_DFL);
    raise(number);
  }
  return true;
}

}  // namespace epochcast::jobs
