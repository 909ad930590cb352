// A thread that passes an output of the program on, at once and unchanged.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <thread>

#include "src/base/core/clock.hpp"
#include "src/base/core/descriptor.hpp"
#include "src/runner/streams.hpp"

namespace epochcast::runner {

class Relay {
 public:
  /// Called with what was passed on, and when it was read.
  using Reader = std::function<void(progress::Stream, std::string_view bytes, double at_s)>;

  /// Starts. `read` and `refused` run in the relay's thread; `refused`: nobody takes the output
  /// any more; the rest is read and dropped.
  Relay(const Source& source, const Clock& clock, Reader read, std::function<void()> refused);
  /// Passes on what has been written so far and ends.
  ~Relay();
  Relay(Relay&&) = delete;

 private:
  struct Taken {
    std::size_t bytes = 0;
    bool is_all = false;  ///< There is no more for now.
    bool has_ended = false;
  };
  void run();
  Taken take();
  void rest(std::size_t bytes);

  Source source_;
  const Clock& clock_;
  Reader read_;
  std::function<void()> refused_;
  bool is_refused_ = false;
  double rested_s_ = 0;  ///< When it last decided whether to rest.
  double busy_until_s_ = 0;
  Descriptor end_;  ///< An eventfd.
  std::unique_ptr<char[]> buffer_;
  std::thread thread_;
};

/// A thread that passes keys on to the program's terminal, until it is destroyed.
class KeyRelay {
 public:
  KeyRelay(int from, int to);
  ~KeyRelay();
  KeyRelay(KeyRelay&&) = delete;

 private:
  void run();

  int from_;
  int to_;
  Descriptor end_;
  std::thread thread_;
};

}  // namespace epochcast::runner
