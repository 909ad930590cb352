// Exceptions of every kind, and what the record of an attempt that throws one says.
#pragma once

#include <cerrno>
#include <filesystem>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"

namespace epochcast {

struct Thrown {
  std::function<void()> raise;
  std::string text;   ///< Of the outcome.
  std::string cause;  ///< Of the failure.
  int status = exit_failed;
};

inline const std::vector<Thrown>& thrown_of_every_kind() {
  static const std::vector<Thrown> all{
      {[] { throw Error("a.csv:3: found 'x'"); }, "a.csv:3: found 'x'", "other", exit_bad_input},
      {[] { throw OutOfMemory("no memory on the device"); }, "no memory on the device",
       "out_of_memory"},
      {[] { throw std::bad_alloc(); }, "out of memory", "out_of_memory"},
      {[] { throw std::runtime_error("library: broken\nframe #0: f()"); }, "library: broken",
       "other"},
      {[] {
         throw std::filesystem::filesystem_error("cannot copy", "/a",
                                                 std::error_code(ENOSPC, std::generic_category()));
       },
       "/a: No space left on device", "other"},
      {[] { throw 7; }, "an exception of unknown type", "other"}};
  return all;
}

/// Calls `raise` instead of telling the time once `file` exists and `thread` is the calling one.
class RaisingClock final : public Clock {
 public:
  RaisingClock(std::string file, std::function<void()> raise)
      : file_(std::move(file)), raise_(std::move(raise)) {}
  double now_s() const override {
    if (std::filesystem::exists(file_)) {
      raise_();
    }
    return clock_.now_s();
  }

 private:
  SteadyClock clock_;
  std::string file_;
  std::function<void()> raise_;
};

}  // namespace epochcast
