// Special tokens such as [MASK] or </s>, which are cut out of a text before tokenization.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epochcast::text {

struct SpecialToken {
  std::string text;  ///< Not empty.
  std::int32_t id = 0;
  bool takes_space_before = false;  ///< Includes the white space before it (RoBERTa's <mask>).
};

class SpecialTokens {
 public:
  struct Found {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int32_t id = 0;
  };

  explicit SpecialTokens(std::vector<SpecialToken> tokens);

  /// The first special token in `text` (valid UTF-8) from `from` on; if several begin at the same
  /// place, the longest. Case-sensitive. Source of the rules: huggingface/tokenizers,
  /// tokenizer/added_vocabulary.rs.
  std::optional<Found> find(std::string_view text, std::size_t from) const;

 private:
  std::vector<SpecialToken> tokens_;  ///< Longest first.
  std::string first_bytes_;
};

}  // namespace epochcast::text
