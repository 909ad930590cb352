// Reads the small files of /proc and /sys, which the kernel writes when they are read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace epochcast::telemetry {

/// The content of the file in one read; "" if it cannot be read. It must be smaller than 1 MiB.
std::string read_small_file(const std::filesystem::path& path);

/// The first number in `text`, std::nullopt if there is none.
std::optional<double> first_number(std::string_view text);

/// The number after `key` at the start of a line: "pgmajfault 12" or "VmRSS:   812 kB".
std::optional<double> number_after(std::string_view text, std::string_view key);

/// Adds a number that may not be there.
inline void add_to(std::optional<double>& sum, std::optional<double> value, double unit = 1) {
  if (value) {
    sum = sum.value_or(0) + *value * unit;
  }
}

/// Word `index`, counted from 0, of words that spaces separate; "" if there are fewer.
std::string_view word_at(std::string_view text, std::size_t index);

}  // namespace epochcast::telemetry
