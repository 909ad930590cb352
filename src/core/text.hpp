// Small functions on text: join, split, suggest a known name, numbers with units.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epochcast {

std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The parts between separators; an empty text has no parts, "a,,b" has three.
std::vector<std::string> split(std::string_view text, char separator);

/// Without white space at both ends.
std::string_view trim(std::string_view text);

/// ASCII letters in lower case, whatever the user's locale; all other bytes as they are.
std::string to_lower(std::string_view text);

/// "1 point", "3 points": a count with the noun that takes an s in the plural.
std::string counted(std::size_t count, std::string_view noun);

bool starts_with_any(std::string_view text, const std::vector<std::string>& prefixes);

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
/// (optimal string alignment distance).
int edit_distance(std::string_view a, std::string_view b);

/// "; did you mean 'X'?" for the nearest of `known` if one is near, else "".
std::string suggestion(std::string_view found, const std::vector<std::string>& known);

/// As suggestion, but "; known: a, b, c" if none is near. `renamed` maps old names to names of
/// `known`: a text near an old name suggests the present one.
std::string did_you_mean(std::string_view found, const std::vector<std::string>& known,
                         const std::map<std::string, std::string>& renamed = {});

/// The whole text as a number, or nothing. Decimal, no leading or trailing characters.
std::optional<std::int64_t> parse_integer(std::string_view text);
/// Also "inf" and "nan" in the spellings of strtod; the decimal point is always '.'.
std::optional<double> parse_double(std::string_view text);

/// Seconds of "90m", "1h30m", "45s", "2d", "1.5h", "250ms"; nothing for a number without a unit and
/// for h:mm:ss, whose meaning differs between Slurm (minutes) and YAML 1.1 (base 60).
std::optional<double> parse_duration_s(std::string_view text);
/// The shortest form parse_duration_s reads back: "1h30m", "12h", "0.25s".
std::string format_duration(double seconds);

/// Bytes of "16G", "512M", "1.5T", "4096K", "100B" (powers of 1024, as Slurm counts); nothing
/// without a unit.
std::optional<std::int64_t> parse_bytes(std::string_view text);
/// The largest unit that divides: "16G", "1536M".
std::string format_bytes(std::int64_t bytes);

/// `value` with `decimals` digits after the point, never in the user's locale.
std::string format_fixed(double value, int decimals);
/// The shortest decimal text that reads back as the same double.
std::string format_shortest(double value);

/// What texts are ordered by where numbers in them count as numbers: "depth=2" before "depth=10",
/// "rate=1e-05" before "rate=0.1". Of equal numbers ("1", "1.0") the text decides.
using NaturalKey = std::pair<std::vector<std::pair<char, double>>, std::string>;
NaturalKey natural_key(std::string_view text);
std::vector<NaturalKey> natural_keys(const std::vector<std::string>& texts);

/// FNV-1a, 64 bits: the short stable hash in point ids.
std::uint64_t fnv1a(std::string_view text);

/// `text` as one word of a POSIX shell, quoted only where it must be. Throws Error on NUL.
std::string shell_quote(std::string_view text);

}  // namespace epochcast
