// Where the program's output goes: a descriptor of this process, written by one thread, to which
// others add lines between those of the program.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "src/base/core/clock.hpp"
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
  /// Has the line written before the next line that the program begins: between two bars there is
  /// no pause. Not while the program moves the cursor between lines. Takes the place of a line
  /// offered before; an empty one only takes that back. False if the program is writing just now.
  bool offer_line(const std::string& line);
  /// Whether the line offered last is no longer waiting.
  bool took_line() const { return !is_offered_; }
  /// Writes an escape sequence that moves no cursor, if the program is within none of its own.
  bool add_sequence(const std::string& sequence);

  int descriptor() const { return descriptor_; }

 private:
  bool write_all(std::string_view bytes);
  bool write_offered(std::string_view& bytes);
  std::size_t place_of_line(std::string_view bytes) const;

  int descriptor_;
  const Clock& clock_;
  std::mutex mutex_;
  ScreenState screen_;
  double wrote_at_s_ = 0;
  std::string offered_;
  std::atomic<bool> is_offered_ = false;
  std::string why_;
};

}  // namespace epochcast::runner
