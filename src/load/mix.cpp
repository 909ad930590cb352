#include "src/load/mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

#include "src/core/error.hpp"
#include "src/core/files.hpp"
#include "src/core/text.hpp"

namespace epochcast::load {
namespace {

/// Our own sentences, with the numbers of words of the study's: its service answers the first three
/// from its cache in 95 of 100 requests, and gets all ten in random order in the others.
constexpr std::array study_texts{
    "It works well!",
    "It failed again!",
    "We run on two nodes!",
    "She walked to the shop",
    "Our teachers explain all of it very well",
    "Debugging late on Friday is tiring",
    "How many jobs would a queue hold if a queue could hold all of them?",
    "A full queue would hold as many jobs as a full queue could hold if queues had no end at all",
    "The soup is good",
    "Everybody enjoyed the concert",
};
constexpr std::size_t study_fixed = 3;

std::string json_of(std::string_view text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    throw Error("not UTF-8; expected one text a line, in UTF-8");
  }
}

std::vector<std::string> texts_of_file(const std::string& path) {
  std::vector<std::string> texts;
  int number = 0;
  for (const auto& line : split(read_file(path), '\n')) {
    ++number;
    const auto text = trim(line);
    if (text.empty()) {
      continue;
    }
    try {
      texts.push_back(json_of(text));
    } catch (const Error& error) {
      throw Error(path, number, error.what());
    }
  }
  if (texts.empty()) {
    throw Error(path + ": no texts; expected one a line");
  }
  return texts;
}

}  // namespace

std::string body_of(const std::vector<std::string>& texts) {
  return fmt::format("{{\"text\": [{}]}}", join(texts, ", "));
}

Mix::Mix(const run::LoadOptions& options, std::function<std::string(const std::string&)> request_of)
    : cached_(options.cached),
      request_of_(std::move(request_of)),
      random_(options.seed),
      shuffles_(options.mix == "study") {
  if (shuffles_) {
    std::ranges::transform(study_texts, std::back_inserter(texts_), json_of);
    count_ = texts_.size();
  } else {
    texts_ = texts_of_file(options.mix);
    count_ = static_cast<std::size_t>(options.texts);
  }
  const auto fixed = std::min(texts_.size(), shuffles_ ? study_fixed : count_);
  fixed_ = request_of_texts({texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(fixed)});
}

Mix::Request Mix::request_of_texts(const std::vector<std::string>& texts) const {
  return {std::make_shared<const std::string>(request_of_(body_of(texts))), std::ssize(texts)};
}

Mix::Request Mix::next() {
  if (random_.share() < cached_) {
    return fixed_;
  }
  std::vector<std::string> texts;
  if (shuffles_) {
    texts = texts_;
    for (std::size_t left = texts.size(); left > 1; --left) {
      std::swap(texts[left - 1], texts[random_.below(left)]);
    }
  } else {
    for (std::size_t i = 0; i < count_; ++i) {
      texts.push_back(texts_[random_.below(texts_.size())]);
    }
  }
  return request_of_texts(texts);
}

}  // namespace epochcast::load
