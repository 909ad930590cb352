// The tokens of a model and their ids, as its hub keeps them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/text/special_tokens.hpp"

namespace epochcast::text {

class Vocabulary {
 public:
  /// vocab.txt: one token a line, its id the line's number from 0; empty lines are ids without a
  /// token. Throws Error "FILE:LINE: what is wrong": cannot be read, no UTF-8, a token twice.
  static Vocabulary of_lines(const std::string& path);

  /// vocab.json: one object from tokens to ids. Throws Error "FILE: what is wrong".
  static Vocabulary of_json(const std::string& path);

  const std::unordered_map<std::string, std::int32_t>& ids() const { return ids_; }
  /// The largest id and 1.
  std::int64_t size() const { return size_; }

  /// Throws Error, which names the file, if there is no such token.
  std::int32_t id(const std::string& token) const;

  struct Special {
    std::string_view token;
    bool takes_space_before = false;
  };
  /// Those of `tokens` that the vocabulary has.
  SpecialTokens special(std::initializer_list<Special> tokens) const;

 private:
  explicit Vocabulary(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::unordered_map<std::string, std::int32_t> ids_;
  std::int64_t size_ = 0;
};

/// Throws Error if a tokenizer_config.json beside the file `vocabulary` has one of `settings`,
/// those of the published `models`, with the other value, which would silently give other ids.
void require_settings(const std::string& vocabulary, const std::map<std::string, bool>& settings,
                      std::string_view models);

}  // namespace epochcast::text
