// Where the program's output goes: a descriptor of this process, written by one thread, to which
// others add lines between those of the program.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "src/core/clock.hpp"
#include "src/runner/screen_state.hpp"

namespace epochcast::runner {

class Outlet {
 public:
  Outlet(int descriptor, const Clock& clock) : descriptor_(descriptor), clock_(clock) {}

  /// Writes all of it. False if nobody takes it any more; why() then says why.
  bool pass_on(std::string_view bytes);
  const std::string& why() const { return why_; }

  /// Writes a line of ours, if the program is at the start of a line and has written nothing for
  /// `quiet_s`. Never waits for the program's own output.
  bool add_line(const std::string& line, double quiet_s);
  /// Writes an escape sequence that moves no cursor, if the program is within none of its own.
  bool add_sequence(const std::string& sequence);

  int descriptor() const { return descriptor_; }

 private:
  bool write_all(std::string_view bytes);

  int descriptor_;
  const Clock& clock_;
  std::mutex mutex_;
  ScreenState screen_;
  double wrote_at_s_ = 0;
  std::string why_;
};

}  // namespace epochcast::runner
