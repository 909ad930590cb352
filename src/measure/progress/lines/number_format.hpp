// How the numbers of a log are written: "2,409.5", "2.409,5", "2409,5", "2'409.5".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace epochcast::progress {

enum class NumberFormat {
  plain,       ///< No number has another separator than the point of its decimals.
  undecided,   ///< "1,234" may be 1234 or 1.234.
  point,       ///< A point parts the decimals, a comma thousands.
  comma,       ///< A comma parts the decimals; what the point of "1.234" does is open.
  comma_dots,  ///< A comma parts the decimals, a point thousands: "1.234,5".
};

/// What the lines of a log say about the format of its numbers. Lists ("(3,64,64)", "0.5,0.6"),
/// clock times, dates and versions say nothing.
class NumberEvidence {
 public:
  void read(std::string_view line);
  /// The one that fewest lines contradict.
  NumberFormat format() const;
  /// A number that has two readings where the format is undecided, from the line of an epoch if
  /// there is one; empty: none.
  const std::string& open_number() const { return open_number_; }
  bool open_in_epoch() const { return open_in_epoch_; }

 private:
  std::int64_t points_ = 0;     ///< Lines with a number that has decimals after a point.
  std::int64_t dotted_ = 0;     ///< With "1.234", and nothing that only a comma explains.
  std::int64_t commas_ = 0;     ///< With decimals after a comma.
  std::int64_t thousands_ = 0;  ///< Lines with a number that only commas between thousands explain.
  bool dots_ = false;           ///< "1.234,5"
  bool beside_ = false;         ///< Decimals after a point stand beside a comma in a number.
  std::string open_number_;
  bool open_in_epoch_ = false;
};

/// What all lines of a text say, also to `evidence`.
NumberFormat number_format_of(std::string_view text, NumberEvidence& evidence);

/// The line with its numbers in plain form, "2409.5"; "nan" where a number has two readings, or
/// contradicts the format. std::nullopt if it has none to change.
std::optional<std::string> plain_numbers(std::string_view line, NumberFormat format);

/// "a number such as '1,234' may be 1234 or 1.234 ..."
std::string two_readings(const std::string& number);

}  // namespace epochcast::progress
