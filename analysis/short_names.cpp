#include "analysis/short_names.hpp"

#include <map>
#include <utility>

#include "src/core/text.hpp"

namespace epochcast {

std::vector<std::string> short_names(const std::vector<std::vector<std::string>>& names) {
  std::map<std::string, std::size_t> of_model;
  std::map<std::pair<std::string, std::string>, std::size_t> with_word;
  for (const auto& words : names) {
    ++of_model[words.front()];
    for (std::size_t i = 1; i < words.size(); ++i) {
      ++with_word[{words.front(), words[i]}];
    }
  }
  std::vector<std::string> shortened;
  for (const auto& words : names) {
    std::vector<std::string> kept{words.front()};
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (with_word[{words.front(), words[i]}] < of_model[words.front()]) {
        kept.push_back(words[i]);
      }
    }
    shortened.push_back(join(kept, " "));
  }
  return shortened;
}

}  // namespace epochcast
