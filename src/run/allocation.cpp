#include "src/run/allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/core/text.hpp"
#include "src/run/field_values.hpp"

namespace epochcast::run {
namespace {

/// Splits at ';' unless a backslash precedes it, and removes the backslashes.
std::vector<std::string> split_escaped(std::string_view text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      parts.back() += text[++i];
    } else if (text[i] == ';') {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

}  // namespace

void check_allocation_name(std::string_view name) {
  constexpr std::size_t longest = 63;
  const bool has_control = std::ranges::any_of(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  if (trim(name).empty() || has_control) {
    throw Error(fmt::format("allocation: found the name '{}', expected one line of text", name));
  }
  if (name.size() > longest) {
    throw Error(fmt::format("allocation: found the name '{}' of {} bytes, expected at most {}",
                            name, name.size(), longest));
  }
}

std::string pack(const Allocation& allocation) {
  std::vector<std::string> parts;
  for_each_field<Allocation>([&](const auto& field) {
    if (allocation.*field.member == Allocation{}.*field.member) {
      return;
    }
    std::string part = std::string(field.name) + "=";
    for (const char c : to_text(allocation.*field.member)) {
      part += c == ';' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    parts.push_back(part);
  });
  return join(parts, ";");
}

Allocation unpack_allocation(std::string_view text) {
  Allocation allocation;
  for (const auto& part : split_escaped(text)) {
    if (!part.empty()) {
      const auto equals = std::min(part.find('='), part.size());
      set_field_by_name(allocation, std::string_view(part).substr(0, equals),
                        std::string_view(part).substr(std::min(equals + 1, part.size())));
    }
  }
  return allocation;
}

}  // namespace epochcast::run
