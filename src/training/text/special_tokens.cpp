#include "src/training/text/special_tokens.hpp"

#include <algorithm>
#include <utility>

#include "src/base/text/unicode.hpp"
#include "src/base/text/utf8.hpp"

namespace epochcast::text {
namespace {

/// The start of the white space that ends at `end`, but not before `from`.
std::size_t before_space(std::string_view text, std::size_t from, std::size_t end) {
  while (end > from) {
    const std::size_t begin = code_point_before(text, end);
    std::size_t at = begin;
    if (!unicode::is_white_space(next_code_point(text, at))) {
      break;
    }
    end = begin;
  }
  return end;
}

}  // namespace

SpecialTokens::SpecialTokens(std::vector<SpecialToken> tokens) : tokens_(std::move(tokens)) {
  std::sort(tokens_.begin(), tokens_.end(), [](const SpecialToken& a, const SpecialToken& b) {
    return a.text.size() > b.text.size();
  });
  for (const SpecialToken& token : tokens_) {
    if (first_bytes_.find(token.text[0]) == std::string::npos) {
      first_bytes_ += token.text[0];
    }
  }
}

std::optional<SpecialTokens::Found> SpecialTokens::find(std::string_view text,
                                                        std::size_t from) const {
  for (auto at = text.find_first_of(first_bytes_, from); at != std::string_view::npos;
       at = text.find_first_of(first_bytes_, at + 1)) {
    for (const SpecialToken& token : tokens_) {
      if (text.substr(at).starts_with(token.text)) {
        return Found{token.takes_space_before ? before_space(text, from, at) : at,
                     at + token.text.size(), token.id};
      }
    }
  }
  return std::nullopt;
}

}  // namespace epochcast::text
