// Small functions on text: join, split, suggest a known name, numbers with units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epochcast {

std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The parts between separators; an empty text has no parts, "a,,b" has three.
std::vector<std::string> split(std::string_view text, char separator);

/// `text` without white space at both ends.
std::string_view trim(std::string_view text);

/// Converts ASCII letters to lower case, independent of the user's locale; keeps all other bytes.
std::string to_lower(std::string_view text);

/// "1 point", "3 points": a count with the noun that takes an s in the plural.
std::string counted(std::size_t count, std::string_view noun);

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool starts_with_any(std::string_view text, const std::vector<std::string>& prefixes);

/// The number of insertions, deletions, substitutions and swaps of neighbors that turn `a` into `b`
/// (optimal string alignment distance).
int edit_distance(std::string_view a, std::string_view b);

/// "; did you mean 'X'?" for the nearest of `known` if one is near; otherwise "".
std::string suggestion(std::string_view found, const std::vector<std::string>& known);

/// Like suggestion, but "; known: a, b, c" if none is near.
std::string did_you_mean(std::string_view found, const std::vector<std::string>& known);

/// The whole text as a number, or std::nullopt. Decimal, no leading or trailing characters.
std::optional<std::int64_t> parse_integer(std::string_view text);
/// Also accepts "inf" and "nan" in the spellings of strtod; the decimal point is always '.'.
std::optional<double> parse_double(std::string_view text);

/// The seconds of "90m", "1h30m", "45s", "2d", "1.5h", "250ms". std::nullopt for a number without a
/// unit and for h:mm:ss, whose meaning differs between Slurm (minutes) and YAML 1.1 (base 60).
std::optional<double> parse_duration_s(std::string_view text);
/// The text in one line, in which everything that a terminal or a reader would take for something
/// else is visible: control characters as "\n" or "\x1b" (also those of two bytes, "\u009b"), what
/// changes the direction or the line of a text as "\u202e", bytes that are not UTF-8 as "\xff". The
/// text comes from the input, such as a path or a record. The result is valid UTF-8.
std::string printable(std::string_view text);
/// The same of a text of several lines, which stay lines; tabs stay too, and so does the CR of
/// CRLF.
std::string printable_lines(std::string_view text);

/// The shortest form that parse_duration_s can read: "1h30m", "12h", "0.25s".
std::string format_duration(double seconds);

/// The bytes of "16G", "512M", "1.5T", "4096K", "100B" (powers of 1024, as in Slurm); std::nullopt
/// without a unit.
std::optional<std::int64_t> parse_bytes(std::string_view text);
/// With the largest unit that divides `bytes`: "16G", "1536M".
std::string format_bytes(std::int64_t bytes);

/// `value` with `decimals` digits after the point, independent of the user's locale.
std::string format_fixed(double value, int decimals);
/// "12 %" of 0.12.
std::string percent(double share);
/// The shortest decimal text that reads back as the same double.
std::string format_shortest(double value);

/// The words of a name in lower case: "db", "api", "key", "2" of "--db.apiKey_2". A word begins
/// at a capital after two small letters: "mAP" has one.
std::vector<std::string> words_of_name(std::string_view name);

/// The sort key that orders the numbers in texts by value: "depth=2" before "depth=10",
/// "rate=1e-05" before "rate=0.1". Texts with equal numbers ("1", "1.0") are ordered as text.
using NaturalKey = std::pair<std::vector<std::pair<char, double>>, std::string>;
NaturalKey natural_key(std::string_view text);
std::vector<NaturalKey> natural_keys(const std::vector<std::string>& texts);

/// FNV-1a, 64 bits: the short stable hash in point ids.
std::uint64_t fnv1a(std::string_view text);

/// `text` as one word of a POSIX shell, quoted only if necessary. Throws Error on NUL.
std::string shell_quote(std::string_view text);

}  // namespace epochcast
