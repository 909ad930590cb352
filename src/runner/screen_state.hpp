// What the output so far leaves on a screen: whether text of another source may be written now.
#pragma once

#include <string_view>

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

}  // namespace epochcast::runner
