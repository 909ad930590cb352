// Converts typed values to text and back, with the same spelling in the YAML files, the command
// line, the sbatch script and the record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/core/enum_text.hpp"
#include "src/base/core/error.hpp"

namespace epochcast {

inline constexpr std::int64_t mebibyte = 1 << 20;  ///< In bytes.
inline constexpr std::int64_t gibibyte = 1024 * mebibyte;

/// A duration in seconds, written with units: "90m", "1h30m".
struct Seconds {
  double value = 0;
  bool operator==(const Seconds&) const = default;
};

/// A size in bytes, written with a unit: "16G".
struct Bytes {
  std::int64_t value = 0;
  bool operator==(const Bytes&) const = default;
};

std::string to_text(bool value);
std::string to_text(std::int64_t value);
std::string to_text(double value);
/// "" if there is none.
std::string to_text(const std::optional<double>& value);
std::string to_text(const std::string& value);
std::string to_text(Seconds value);
std::string to_text(Bytes value);

/// Reads the output of to_text and the spellings that users write. Throws Error "found 'x',
/// expected a whole number".
void from_text(std::string_view text, bool& value);
void from_text(std::string_view text, std::int64_t& value);
void from_text(std::string_view text, double& value);
void from_text(std::string_view text, std::optional<double>& value);
void from_text(std::string_view text, std::string& value);
void from_text(std::string_view text, Seconds& value);
void from_text(std::string_view text, Bytes& value);

/// The name of a type in help texts and in the record: "flag", "integer", "number", "text",
/// "duration", "size".
constexpr std::string_view type_name(bool) {
  return "flag";
}
constexpr std::string_view type_name(std::int64_t) {
  return "integer";
}
constexpr std::string_view type_name(double) {
  return "number";
}
constexpr std::string_view type_name(const std::optional<double>&) {
  return "number";
}
inline std::string_view type_name(const std::string&) {
  return "text";
}
constexpr std::string_view type_name(Seconds) {
  return "duration";
}
constexpr std::string_view type_name(Bytes) {
  return "size";
}

/// Checks `text`, which is already a valid value of its type, against Field::allowed: "lab|fast",
/// ">=1", ">0", "0..1" or "0..<1" (durations in seconds, sizes in bytes), or "path". Throws Error
/// "found 'x', expected one of lab, fast; did you mean ...", and std::logic_error if `allowed` has
/// no such form.
void check_allowed(std::string_view text, std::string_view allowed);

/// An enum with texts (enum_text.hpp) is written as the text of its value.
template <class Enum>
constexpr std::string_view type_name(Enum) requires requires {
  texts_of(Tag<Enum>{});
}
{ return "text"; }

template <class Enum>
void from_text(std::string_view text, Enum& value) requires requires {
  texts_of(Tag<Enum>{});
}
{
  const auto found = parse_enum<Enum>(text);
  if (!found) {
    std::string known;
    for (const auto& [each, its_text] : texts_of(Tag<Enum>{})) {
      known += (known.empty() ? "" : "|") + std::string(its_text);
    }
    check_allowed(text, known);
  }
  value = found.value();
}

/// Whether Field::allowed says that the text is a path, or several separated by ':'. Whether there
/// is such a file is not checked here: the run may have another machine.
constexpr bool is_path(std::string_view allowed) {
  return allowed == "path";
}

}  // namespace epochcast
