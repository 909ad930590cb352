// Producer and consumer as processes, and what must be true of their answers.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "src/base/core/descriptor.hpp"
#include "src/base/process/spawn.hpp"
#include "src/serving/stream/journal.hpp"
#include "src/serving/stream/producer.hpp"
#include "tests/files.hpp"
#include "tests/src/serving/stream/known_predictor.hpp"

namespace epochcast::stream {

inline void pause_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// A program of this build that runs in the background.
class Process {
 public:
  Process() = default;
  Process(std::vector<std::string> words, const std::string& log) {
    words[0] = EPOCHCAST_BINARY_DIR "/" + words[0];
    const Descriptor out(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    sigset_t none;
    sigemptyset(&none);
    const auto child = process::spawn({.words = words,
                                       .out = out.number(),
                                       .err = out.number(),
                                       .die_with_parent = true,
                                       .signal_mask = none});
    EXPECT_TRUE(child.ok()) << words[0];
    pid_ = child.pid;
  }
  Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~Process() { kill_now(); }

  /// Whether it was still running.
  bool kill_now() {
    if (pid_ < 0) {
      return false;
    }
    kill(pid_, SIGKILL);
    int state = 0;
    waitpid(std::exchange(pid_, -1), &state, 0);
    return WIFSIGNALED(state);
  }
  void send(int signal) const { kill(pid_, signal); }
  pid_t pid() const { return pid_; }

  /// Its exit status; std::nullopt if it still runs after so many seconds.
  std::optional<int> wait_for(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      int state = 0;
      if (waitpid(pid_, &state, WNOHANG) == pid_) {
        pid_ = -1;
        return process::exit_status_of(state);
      }
      pause_ms(10);
    }
    return std::nullopt;
  }

 private:
  pid_t pid_ = -1;
};

constexpr std::int64_t items_per_batch = 3;

/// A file with texts for the producer.
inline void write_texts(const std::string& path, int texts) {
  Batch batch;
  for (int i = 0; i < texts; ++i) {
    batch.items.push_back({.text = fmt::format("text {}", i), .label = i % 10});
  }
  std::ofstream(path) << to_json(batch);
}

/// What is wrong with the answers to batches 1 to `batches` of the source "s": lost, twice, wrong,
/// or out of order. Empty: nothing.
inline std::string fault_in(const std::vector<ResultRow>& rows, const std::string& items_file,
                            std::int64_t batches) {
  const auto items = open_items(items_file);
  std::size_t at = 0;
  for (std::int64_t id = 1; id <= batches; ++id) {
    const auto drawn = draw(*items, id, items_per_batch, 1);
    for (std::int64_t position = 0; position < items_per_batch; ++position, ++at) {
      const auto& item = drawn[static_cast<std::size_t>(position)];
      if (at >= rows.size() || rows[at].batch_id != id || rows[at].position != position) {
        return fmt::format("item {} of batch {} was not answered once and in order", position, id);
      }
      if (rows[at].chosen != fmt::format("class {}", known_class(item.text))) {
        return fmt::format("item {} of batch {} has the answer '{}'", position, id,
                           rows[at].chosen);
      }
    }
  }
  return at == rows.size() ? "" : fmt::format("{} answers too many", rows.size() - at);
}

}  // namespace epochcast::stream
