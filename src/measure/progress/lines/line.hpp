// A line of a program's output, and a value in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace epochcast::progress {

/// What a line says about an evaluation that the program announces in words.
enum class InEvaluation { no, begins, goes_on };

/// One line of output, without escape sequences of terminals.
struct Line {
  std::string_view text;  ///< Valid UTF-8; at most longest_line bytes, cut off after them.
  double at_s = 0;        ///< When its last byte came, on the record's clock.
  double since_s = 0;     ///< It is not older than this: where stamps stand in other lines only.
  bool timed = true;      ///< Both are known.
  bool begins_training = false;                ///< It says so.
  InEvaluation evaluation = InEvaluation::no;  ///< If no format understands it.
  bool redrawn = false;  ///< It ended in a carriage return (or cursor movement): a bar.
};

inline constexpr std::size_t longest_line = 4096;

/// Takes the first line off a text, without its end.
inline std::string_view take_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

struct NamedValue {
  std::string name;  ///< As the program names it: loss, eval_accuracy, lr.
  double value = 0;
  bool operator==(const NamedValue&) const = default;
};

}  // namespace epochcast::progress
