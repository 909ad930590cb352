#include "src/serving/load/mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "src/base/core/digest.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

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

std::string json_string(std::string_view text) {
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
      texts.push_back(json_string(text));
    } catch (const Error& error) {
      throw Error(path, number, error.what());
    }
  }
  if (texts.empty()) {
    throw Error(path + ": no texts; expected one a line");
  }
  return texts;
}

bool is_picture(const std::filesystem::directory_entry& entry) {
  const auto ending = to_lower(entry.path().extension().string());
  return entry.is_regular_file() && (ending == ".png" || ending == ".jpg" || ending == ".jpeg");
}

/// In the order of their names.
std::vector<std::string> pictures_of_folder(const std::string& folder) {
  auto entries = entries_of(folder);
  std::erase_if(entries, [](const auto& entry) { return !is_picture(entry); });
  if (entries.empty()) {
    throw Error(folder + ": no pictures; expected .png, .jpg or .jpeg files");
  }
  std::ranges::sort(entries);
  std::vector<std::string> pictures;
  for (const auto& entry : entries) {
    pictures.push_back('"' + encode_base64(read_file(entry.path())) + '"');
  }
  return pictures;
}

}  // namespace

std::string body_of(const std::string& key, const std::vector<std::string>& items) {
  return fmt::format("{{\"{}\": [{}]}}", key, join(items, ", "));
}

Mix::Mix(const run::LoadOptions& options, std::function<std::string(const std::string&)> request_of)
    : cached_(options.cached),
      request_of_(std::move(request_of)),
      random_(static_cast<std::uint64_t>(options.seed)),
      shuffles_(options.mix == "study") {
  if (shuffles_) {
    std::ranges::transform(study_texts, std::back_inserter(items_), json_string);
    count_ = items_.size();
  } else if (std::filesystem::is_directory(options.mix)) {
    items_ = pictures_of_folder(options.mix);
    key_ = "picture";
    count_ = static_cast<std::size_t>(options.texts);
  } else {
    items_ = texts_of_file(options.mix);
    count_ = static_cast<std::size_t>(options.texts);
  }
  const auto fixed = std::min(items_.size(), shuffles_ ? study_fixed : count_);
  fixed_ = request_with({items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(fixed)});
}

Mix::Request Mix::request_with(const std::vector<std::string>& items) const {
  return {std::make_shared<const std::string>(request_of_(body_of(key_, items))),
          std::ssize(items)};
}

Mix::Request Mix::next() {
  if (random_.uniform() < cached_) {
    return fixed_;
  }
  std::vector<std::string> items;
  if (shuffles_) {
    items = items_;
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[random_.below(left)]);
    }
  } else {
    for (std::size_t i = 0; i < count_; ++i) {
      items.push_back(items_[random_.below(items_.size())]);
    }
  }
  return request_with(items);
}

}  // namespace epochcast::load
