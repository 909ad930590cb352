#include <fmt/format.h>

#include <algorithm>

#include "jobs/experiment/experiment.hpp"
#include "src/core/error.hpp"

namespace epochcast::jobs {
namespace {

/// Walks `word`: plain characters to `text`, the inside of {braces} to `name`.
template <class Text, class Name>
void walk(const std::string& word, Text&& text, Name&& name) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool doubled = i + 1 < word.size() && word[i + 1] == word[i];
    if ((word[i] == '{' || word[i] == '}') && doubled) {
      text(word[i++]);
    } else if (word[i] == '{') {
      const auto end = word.find('}', i);
      if (end == std::string::npos) {
        throw Error(fmt::format(
            "command: found '{}' with a '{{' that is not closed; write '{{{{' for a brace", word));
      }
      name(word.substr(i + 1, end - i - 1));
      i = end;
    } else {
      text(word[i]);
    }
  }
}

}  // namespace

std::vector<std::string> placeholders(const std::vector<std::string>& command) {
  std::vector<std::string> names;
  for (const auto& word : command) {
    walk(
        word, [](char) {},
        [&](const std::string& name) {
          if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
          }
        });
  }
  return names;
}

std::string fill_placeholders(const std::string& word, const Settings& values) {
  std::string filled;
  walk(
      word, [&](char c) { filled += c; },
      [&](const std::string& name) {
        const auto* value = find_setting(values, name);
        if (value == nullptr) {
          throw Error(fmt::format("command: {{{}}} has no value", name));
        }
        filled += *value;
      });
  return filled;
}

}  // namespace epochcast::jobs
