#include "src/training/text/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/strict_json.hpp"
#include "src/base/text/utf8.hpp"

namespace epochcast::text {
namespace {

using nlohmann::json;

constexpr int json_depth = 16;  ///< More than the tokenizer_config.json of any model needs.

std::string read_vocabulary(const std::string& path) {
  auto text = read_text_or_gzip(path);
  require_no_stand_in(path, text);
  return text;
}

json vocabulary_json(const std::string& path) {
  return parse_strict_json(read_vocabulary(path), path, json_depth);
}

}  // namespace

Vocabulary Vocabulary::of_lines(const std::string& path) {
  const std::string text = read_vocabulary(path);
  Vocabulary vocabulary(path);
  std::string mended;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    std::string_view token(text.data() + at, end - at);
    at = end + 1;
    token = token.ends_with('\r') ? token.substr(0, token.size() - 1) : token;
    const auto id = vocabulary.size_++;
    if (valid_utf8(token, mended) != token) {
      throw Error(path, int(id) + 1, "found bytes that are no UTF-8, expected a token");
    }
    if (token.empty()) {
      continue;
    }
    if (const auto [there, added] = vocabulary.ids_.emplace(token, std::int32_t(id)); !added) {
      throw Error(
          path, int(id) + 1,
          fmt::format("found '{}' again; it is in line {} already", token, there->second + 1));
    }
  }
  return vocabulary;
}

Vocabulary Vocabulary::of_json(const std::string& path) {
  const json tokens = vocabulary_json(path);
  if (!tokens.is_object()) {
    throw Error(path + ": found no JSON object, expected one from tokens to ids");
  }
  Vocabulary vocabulary(path);
  for (const auto& [token, id] : tokens.items()) {
    if (!id.is_number_unsigned() ||
        id.get<std::uint64_t>() >= std::uint64_t(std::numeric_limits<std::int32_t>::max())) {
      throw Error(fmt::format("{}: found {} for {}, expected an id: a whole number from 0", path,
                              id.is_number() ? id.dump() : id.type_name(), json(token).dump()));
    }
    vocabulary.ids_.emplace(token, id.get<std::int32_t>());
    vocabulary.size_ = std::max(vocabulary.size_, id.get<std::int64_t>() + 1);
  }
  return vocabulary;
}

std::int32_t Vocabulary::id(const std::string& token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) {
    throw Error(fmt::format("{}: found no token '{}' among {}, expected a model's vocabulary",
                            path_, token, ids_.size()));
  }
  return found->second;
}

SpecialTokens Vocabulary::special(std::initializer_list<Special> tokens) const {
  std::vector<SpecialToken> there;
  for (const Special& wanted : tokens) {
    if (const auto found = ids_.find(std::string(wanted.token)); found != ids_.end()) {
      there.push_back({found->first, found->second, wanted.takes_space_before});
    }
  }
  return SpecialTokens(std::move(there));
}

void require_settings(const std::string& vocabulary, const std::map<std::string, bool>& settings,
                      std::string_view models) {
  const auto path =
      (std::filesystem::path(vocabulary).parent_path() / "tokenizer_config.json").string();
  if (!std::filesystem::exists(path)) {
    return;
  }
  const json found = vocabulary_json(path);
  for (const auto& [name, expected] : settings) {
    const auto value = found.is_object() ? found.find(name) : found.end();
    if (value != found.end() && *value == !expected) {
      throw Error(fmt::format("{}: found {} {}; expected the settings of {}", path, name, !expected,
                              models));
    }
  }
}

}  // namespace epochcast::text
