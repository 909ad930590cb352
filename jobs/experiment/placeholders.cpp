#include "jobs/experiment/placeholders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "src/base/core/error.hpp"

namespace epochcast::jobs {
namespace {

bool is_name(std::string_view name) {
  const auto is_part = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && std::ranges::all_of(name, is_part);
}

/// Walks `text`: plain characters to `plain`, the inside of {braces} to `name`.
template <class Plain, class Name>
void walk(const std::string& text, Plain&& plain, Name&& name) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool doubled = i + 1 < text.size() && text[i + 1] == text[i];
    if ((text[i] == '{' || text[i] == '}') && doubled) {
      plain(text[i++]);
    } else if (text[i] == '{') {
      const auto end = text.find('}', i);
      if (end == std::string::npos) {
        throw Error(fmt::format(
            "found '{}' with a '{{' that is not closed; write '{{{{' for a brace", text));
      }
      name(text.substr(i + 1, end - i - 1));
      i = end;
    } else {
      plain(text[i]);
    }
  }
}

}  // namespace

std::vector<std::string> placeholders(const std::string& text) {
  std::vector<std::string> names;
  walk(
      text, [](char) {},
      [&](const std::string& name) {
        if (!is_name(name)) {
          throw Error(fmt::format(
              "found '{{{}}}', expected the name of a setting in braces; write '{{{{' and '}}}}' "
              "for braces",
              name));
        }
        if (std::ranges::find(names, name) == names.end()) {
          names.push_back(name);
        }
      });
  return names;
}

std::string fill_placeholders(const std::string& text, const Settings& values) {
  std::string filled;
  walk(
      text, [&](char c) { filled += c; },
      [&](const std::string& name) {
        const auto* value = find_setting(values, name);
        if (value == nullptr) {
          throw Error(fmt::format("{{{}}} has no value", name));
        }
        filled += *value;
      });
  return filled;
}

std::string with_literal_braces(const std::string& text) {
  std::string doubled;
  for (const char c : text) {
    doubled += c;
    if (c == '{' || c == '}') {
      doubled += c;
    }
  }
  return doubled;
}

}  // namespace epochcast::jobs
