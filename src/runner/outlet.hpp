// Where the program's output goes: a descriptor of this process, written by one thread, to which
// others add lines between those of the program.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "src/base/core/clock.hpp"

namespace epochcast::runner {

/// Follows the bytes of one output.
class ScreenState {
 public:
  void read(std::string_view bytes);

  /// At the start of a line, with nothing open: a whole line may be written.
  bool at_line_start() const { return state_ == State::text && line_is_empty_; }
  /// Within no character and no escape sequence: an escape sequence may be written.
  bool between_characters() const { return state_ == State::text; }
  /// The program has moved the cursor, as nested bars do: a line between would be drawn over.
  bool moves_between_lines() const { return moves_; }

 private:
  enum class State { text, character, escape, control, string, string_escape };
  void read(unsigned char byte);

  State state_ = State::text;
  int missing_ = 0;  ///< Bytes of the character.
  bool line_is_empty_ = true;
  bool moves_ = false;
};

class Outlet {
 public:
  Outlet(int descriptor, const Clock& clock) : descriptor_(descriptor), clock_(clock) {}

  /// Writes all of it. False if that fails; the rest is lost then.
  bool pass_on(std::string_view bytes);
  /// Why output was lost, such as a full disk; "" where whoever read it has gone.
  const std::string& why_lost() const { return why_lost_; }

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
  std::string why_lost_;
};

}  // namespace epochcast::runner
