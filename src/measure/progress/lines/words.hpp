// What the lines of several formats have in common: how they count epochs, how they write numbers,
// durations and words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/duration.hpp"

namespace epochcast::progress {

inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The size of the letter at the front, of any alphabet: 0 if there is none, but a digit, a mark, a
/// box, a symbol.
std::size_t letter_size(std::string_view text);
/// Whether it has a letter of any alphabet.
bool has_letter(std::string_view text);

/// Whether programs count from 0 or from 1: as their first epoch says. One that begins with another
/// number has resumed; it counts from 1 if it says "of M", else from 0.
class EpochCount {
 public:
  /// The printed number and, if there is one, the printed total. std::nullopt for a negative
  /// number.
  std::optional<std::int64_t> from_zero(std::int64_t printed, bool has_total);
  /// The number of epochs, if the printed total is one: "Epoch 0/9" may be the first of 9 or of 10.
  std::optional<std::int64_t> total(std::int64_t printed) const;

 private:
  std::optional<std::int64_t> base_;
};

/// The whole number of a group, "20,100" too; not below 0.
std::optional<std::int64_t> count_in(const RegularExpression::Match& match, std::string_view name);
/// The duration of a group, "3m 48s"; without a unit, in seconds.
std::optional<double> seconds_in(const RegularExpression::Match& match, std::string_view name);

/// The words of a text, with each number as '#' and blanks as one: lines of one print statement
/// have one shape.
std::string shape_of(std::string_view text);

/// The begin of a line, for a message.
std::string excerpt(std::string_view text);

/// A part of a pattern: a word for held-out data, or for what is done with them, begins here.
/// Without regard to case: "val_loss", "Validierung", "dev", "hold-out".
inline constexpr std::string_view held_out_word =
    R"((?<![a-z])(?:val(?!u)|va(?=[ _]|$)|test(?!a)|eval|dev(?![eis])|sanity|infer|predict|decod|held|hold-?out))";

/// Whether a name is one of held-out data: val_loss, "Test acc", eval_f1, "Validation".
bool of_evaluation(std::string_view name);

/// Whether the words before a message name the process that prints: "[rank1]:", "rank 1", "gpu:0
/// |", "0:" (srun --label), "[1]".
bool is_rank(std::string_view lead);

}  // namespace epochcast::progress
