// A program in a terminal of tmux: keys go in, the screen comes out.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "src/base/process/command.hpp"
#include "tests/jobs/support.hpp"

namespace epochcast::jobs::test {

/// A tmux server of its own, with one window of 100 x 20, in which a shell without a prompt runs.
class Tmux {
 public:
  static bool is_there() { return process::is_executable("tmux"); }

  explicit Tmux(const TempFolder& folder) : socket_(folder / "tmux") {
    tmux({"-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "20",
          "env PS1= bash --norc --noprofile"});
  }
  ~Tmux() { tmux({"kill-server"}); }
  Tmux(const Tmux&) = delete;
  Tmux& operator=(const Tmux&) = delete;

  /// Keys by their names in tmux: "Enter", "C-c", "Up"; all else is typed.
  void press(const std::vector<std::string>& keys) {
    std::vector<std::string> words{"send-keys"};
    words.insert(words.end(), keys.begin(), keys.end());
    tmux(words);
  }
  void type(const std::string& line) { press({line, "Enter"}); }
  void resize(int columns, int rows) {
    tmux({"resize-window", "-x", std::to_string(columns), "-y", std::to_string(rows)});
  }
  /// What the window shows.
  std::string screen() { return tmux({"capture-pane", "-p"}); }
  /// The screen as soon as it contains `text`; after 20 s the test fails.
  std::string screen_with(const std::string& text) {
    return wait([&](const std::string& now) { return now.find(text) != std::string::npos; }, text);
  }
  std::string screen_without(const std::string& text) {
    return wait([&](const std::string& now) { return now.find(text) == std::string::npos; },
                "no " + text);
  }

 private:
  template <class Condition>
  std::string wait(Condition&& fulfilled, const std::string& expected) {
    std::string now;
    for (int tenths = 0; tenths < 200; ++tenths) {
      now = screen();
      if (fulfilled(now)) {
        return now;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    ADD_FAILURE() << "expected on the screen: " << expected << "\n" << now;
    return now;
  }
  std::string tmux(std::vector<std::string> words) {
    words.insert(words.begin(), {"tmux", "-u", "-S", socket_});
    return process::run_command(words, 20, {{"LC_ALL", "C.UTF-8"}, {"TMUX", ""}}).out;
  }

  std::string socket_;
};

}  // namespace epochcast::jobs::test
