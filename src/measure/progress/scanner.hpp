// Reads one line of a log from left to right: fixed words and the numbers between them.
#pragma once

#include <optional>
#include <string_view>

namespace epochcast::progress {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  /// Takes `expected` off the front; false, and nothing taken, where something else stands there.
  bool skip(std::string_view expected);
  /// Takes the spaces off the front.
  void skip_blanks();
  /// Takes a number off the front, as far as it goes.
  std::optional<double> number();
  /// Takes everything up to the next space, or to the end.
  std::string_view word();
  /// Whether only white space is left.
  bool at_end() const;
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace epochcast::progress
