// The tokens of a model and their ids, read from the files of its hub.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/training/text/special_tokens.hpp"

namespace epochcast::text {

class Vocabulary {
 public:
  /// Reads vocab.txt: one token per line; the id is the line number from 0. An empty line is an id
  /// without a token. Throws Error "FILE:LINE: what is wrong" if a line is not UTF-8 or repeats a
  /// token, and Error if the file cannot be read.
  static Vocabulary of_lines(const std::string& path);

  /// Reads vocab.json: one object that maps tokens to ids. Throws Error "FILE: what is wrong".
  static Vocabulary of_json(const std::string& path);

  const std::unordered_map<std::string, std::int32_t>& ids() const { return ids_; }
  /// The largest id plus 1.
  std::int64_t size() const { return size_; }

  /// Throws Error, which names the file, if the token does not exist.
  std::int32_t id(const std::string& token) const;

  struct Special {
    std::string_view token;
    bool takes_space_before = false;
  };
  /// The tokens of `tokens` that are in the vocabulary.
  SpecialTokens special(std::initializer_list<Special> tokens) const;

 private:
  explicit Vocabulary(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::unordered_map<std::string, std::int32_t> ids_;
  std::int64_t size_ = 0;
};

/// Throws Error if a tokenizer_config.json next to the file `vocabulary` has the opposite value for
/// one of `settings`, the settings of the published `models`; the ids would silently be different.
void require_settings(const std::string& vocabulary, const std::map<std::string, bool>& settings,
                      std::string_view models);

}  // namespace epochcast::text
