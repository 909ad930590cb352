// Converts text to the token ids that a model reads, and declares the registry of tokenizers
// (src/training/text/tokenizers/, one file each).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/training/text/special_tokens.hpp"

namespace epochcast::text {

using TokenId = std::int32_t;
using TokenIds = std::vector<TokenId>;

/// The tokens that are added to the text of every sequence.
struct SequenceTokens {
  TokenId begin = 0;
  TokenId end = 0;
  TokenId padding = 0;
};

/// Immutable after construction: several threads may call all functions at once.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// The ids of `text`, which may be any bytes: begin, text, end. Truncates the text so that the
  /// total is at most `max_length`, which is at least 2. Replaces bytes that are not UTF-8 by
  /// U+FFFD.
  TokenIds encode(std::string_view text, std::size_t max_length) const;

  TokenId padding() const { return frame_.padding; }
  /// Ids are in [0, vocabulary_size()); the embedding table of a model must have that many rows.
  std::int64_t vocabulary_size() const { return vocabulary_size_; }

 protected:
  Tokenizer(const SequenceTokens& frame, SpecialTokens special, std::int64_t vocabulary_size);

 private:
  /// Appends the ids of `text`, valid UTF-8 without special tokens.
  virtual void append_ids(std::string_view text, TokenIds& ids) const = 0;

  SequenceTokens frame_;
  SpecialTokens special_;
  std::int64_t vocabulary_size_;
};

struct TokenizerSpec {
  std::string summary;
  std::vector<std::string> files;  ///< File names in a model's folder, in the layout of hubs.
  /// Takes the paths of `files`, in their order.
  std::function<std::unique_ptr<Tokenizer>(const std::vector<std::string>& paths)> open;
};

namespace tokenizers {
const std::map<std::string, TokenizerSpec>& all();
}

/// The tokenizer `name` from `path`: the folder of a model in the layout of its hub, or the files
/// themselves, separated by ':' in the order of TokenizerSpec::files. Throws Error in one line,
/// "FILE:LINE: what is wrong" or "PATH: what is missing".
std::unique_ptr<Tokenizer> open_tokenizer(const std::string& name, const std::string& path);

/// The name of the tokenizer whose files are in `folder`. Throws Error if no tokenizer, or more
/// than one, has all of its files there.
std::string tokenizer_of(const std::string& folder);

}  // namespace epochcast::text
