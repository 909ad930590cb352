#include "src/training/text/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "src/base/core/error.hpp"
#include "src/base/core/registry.hpp"
#include "src/base/core/text.hpp"
#include "src/base/text/utf8.hpp"

namespace epochcast::text {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> paths_in(const std::string& folder, const TokenizerSpec& spec) {
  std::vector<std::string> paths;
  for (const std::string& file : spec.files) {
    paths.push_back((fs::path(folder) / file).string());
  }
  return paths;
}

bool all_there(const std::vector<std::string>& paths) {
  return std::all_of(paths.begin(), paths.end(),
                     [](const std::string& path) { return fs::exists(path); });
}

}  // namespace

Tokenizer::Tokenizer(const SequenceTokens& frame, SpecialTokens special,
                     std::int64_t vocabulary_size)
    : frame_(frame), special_(std::move(special)), vocabulary_size_(vocabulary_size) {}

TokenIds Tokenizer::encode(std::string_view text, std::size_t max_length) const {
  if (max_length < 2) {
    throw std::logic_error("a sequence has at least its begin and its end");
  }
  std::string mended;
  text = valid_utf8(text, mended);
  TokenIds ids{frame_.begin};
  std::size_t at = 0;
  while (const auto found = special_.find(text, at)) {
    append_ids(text.substr(at, found->begin - at), ids);
    ids.push_back(found->id);
    at = found->end;
  }
  append_ids(text.substr(at), ids);
  ids.resize(std::min(ids.size(), max_length - 1));
  ids.push_back(frame_.end);
  return ids;
}

std::unique_ptr<Tokenizer> open_tokenizer(const std::string& name, const std::string& path) {
  const TokenizerSpec& spec = find_entry(tokenizers::all(), "tokenizer", name);
  const auto paths = fs::is_directory(path) ? paths_in(path, spec) : split(path, ':');
  if (paths.size() != spec.files.size()) {
    throw Error(
        fmt::format("{}: found {} files of a tokenizer, expected for {} a folder with {}, "
                    "or those files separated by ':'",
                    path, paths.size(), name, fmt::join(spec.files, " and ")));
  }
  return spec.open(paths);
}

std::string tokenizer_of(const std::string& folder) {
  std::vector<std::string> known;
  std::vector<std::string> there;
  for (const auto& [name, spec] : tokenizers::all()) {
    known.push_back(fmt::format("{} ({})", fmt::join(spec.files, " and "), name));
    if (all_there(paths_in(folder, spec))) {
      there.push_back(name);
    }
  }
  if (there.size() != 1) {
    throw Error(fmt::format("{}: found the files of {}, expected those of one tokenizer: {}",
                            folder, there.empty() ? "none" : join(there, " and "),
                            join(known, " or ")));
  }
  return there.front();
}

}  // namespace epochcast::text
