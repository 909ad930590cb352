// Text to the token ids that a model reads, and the registry of tokenizers (src/text/tokenizers/,
// one file each).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/text/special_tokens.hpp"

namespace epochcast::text {

using TokenId = std::int32_t;
using TokenIds = std::vector<TokenId>;

/// What every sequence has besides its text.
struct SequenceTokens {
  TokenId begin = 0;
  TokenId end = 0;
  TokenId padding = 0;
};

/// Nothing changes after construction: all functions may be called by several threads at once.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// The ids of any bytes: begin, text, end. Of the text so many, from its start, that all are at
  /// most `max_length`, which is at least 2. Bytes that are no UTF-8 count as U+FFFD.
  TokenIds encode(std::string_view text, std::size_t max_length) const;

  TokenId padding() const { return frame_.padding; }
  /// Ids are in [0, vocabulary_size()); a model's table of embeddings must have so many rows.
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
  std::vector<std::string> files;  ///< Their names in a model's folder, as hubs lay it out.
  /// Takes the paths of `files`, in their order.
  std::function<std::unique_ptr<Tokenizer>(const std::vector<std::string>& paths)> open;
};

namespace tokenizers {
const std::map<std::string, TokenizerSpec>& all();
}

/// The tokenizer `name` from `path`: a model's folder as its hub lays it out, or the files
/// themselves, separated by ':' in the order of TokenizerSpec::files. Throws Error, one line
/// "FILE:LINE: what is wrong" or "PATH: what is missing".
std::unique_ptr<Tokenizer> open_tokenizer(const std::string& name, const std::string& path);

/// The name of the tokenizer whose files stand in `folder`. Throws Error if none has all of its
/// files there, or several have.
std::string tokenizer_of(const std::string& folder);

}  // namespace epochcast::text
