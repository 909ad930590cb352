#include "src/training/weights/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "src/base/core/error.hpp"
#include "src/base/core/strict_json.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::weights {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t named_in_remark = 3;

constexpr std::array<std::pair<std::string_view, std::string_view>, 2> old_endings{
    {{"LayerNorm.gamma", "LayerNorm.weight"}, {"LayerNorm.beta", "LayerNorm.bias"}}};

std::string modern(const std::string& name) {
  for (const auto& [before, now] : old_endings) {
    if (name.ends_with(before)) {
      return name.substr(0, name.size() - before.size()).append(now);
    }
  }
  return name;
}

bool of_no_use(const std::string& name) {
  return starts_with_any(name, {"cls.", "lm_head.", "vocab_", "fit_denses."}) ||
         name.ends_with(".position_ids");
}

/// The names of the model that `name` in the file can correspond to, most likely first.
Names meanings(const std::string& name, std::string_view body) {
  const auto now = modern(name);
  Names all{name, now};
  if (!body.empty()) {
    all.push_back(fmt::format("{}.{}", body, now));
  }
  return all;
}

/// Replaces the numbers of repeated parts: "encoder.layer.#.weight".
std::string numberless(const std::string& name) {
  auto parts = split(name, '.');
  for (auto& part : parts) {
    part = parse_integer(part) ? "#" : part;
  }
  return join(parts, ".");
}

/// The names of `names` that belong to repeated parts that the model does not have, such as the
/// layers of a deeper network.
Names of_more_parts(const Names& names, const Names& in_model, std::string_view body) {
  const std::set<std::string> ours(in_model.begin(), in_model.end());
  std::set<std::string> repeated;
  for (const auto& name : in_model) {
    if (const auto without = numberless(name); without != name) {
      repeated.insert(without);
    }
  }
  Names more;
  std::ranges::copy_if(names, std::back_inserter(more), [&](const std::string& name) {
    return std::ranges::any_of(meanings(name, body), [&](const std::string& meaning) {
      return !ours.contains(meaning) && repeated.contains(numberless(meaning));
    });
  });
  return more;
}

std::string first_names(const Names& names) {
  Names shown;
  for (std::size_t i = 0; i < std::min(names.size(), named_in_remark); ++i) {
    shown.push_back(shown_name(names[i]));
  }
  const auto more = names.size() - shown.size();
  return join(shown, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

bool is_of_head(std::string_view name, std::string_view body) {
  return !body.empty() && (!name.starts_with(fmt::format("{}.", body)) ||
                           name.starts_with(fmt::format("{}.pooler.", body)));
}

NameMatches match_names(const Names& in_file, const Names& in_model, std::string_view body,
                        const std::string& path) {
  std::map<std::string, std::string> taken;  // name in the model → name in the file
  NameMatches matches;
  std::set<std::string> open(in_model.begin(), in_model.end());
  Names left = in_file;
  // Try the more likely meanings of all names before the less likely ones of any.
  for (std::size_t rank = 0; rank < meanings("", body).size(); ++rank) {
    std::erase_if(left, [&](const std::string& name) {
      const auto meaning = meanings(name, body)[rank];
      return open.erase(meaning) > 0 && taken.emplace(meaning, name).second;
    });
  }
  if (const auto more = of_more_parts(left, in_model, body); !more.empty()) {
    throw Error(fmt::format("{}: has {}, which the model does not have", path, first_names(more)));
  }
  for (const auto& name : left) {
    (of_no_use(name) ? matches.ignored : matches.unexpected).push_back(name);
  }
  for (const auto& name : in_model) {
    if (const auto found = taken.find(name); found != taken.end()) {
      matches.pairs.push_back({found->second, name});
    } else if (is_of_head(name, body)) {
      matches.missing.push_back(name);
    } else {
      throw Error(fmt::format(
          "{}: has no {}{}", path, shown_name(name),
          left.empty() ? "" : "; what it has and the model has not: " + first_names(left)));
    }
  }
  return matches;
}

std::vector<std::string> remarks_of(const NameMatches& matches, const std::string& path) {
  Names renamed;
  for (const auto& [in_file, in_model] : matches.pairs) {
    if (in_file != in_model) {
      renamed.push_back(in_file);
    }
  }
  std::vector<std::string> remarks;
  const auto remark = [&](const Names& names, std::string_view what) {
    if (!names.empty()) {
      remarks.push_back(fmt::format("{}: {} of its tensors {}: {}", path, names.size(), what,
                                    first_names(names)));
    }
  };
  remark(renamed, "taken under other names");
  remark(matches.unexpected, "not used");
  remark(matches.ignored, "not used, being of another task");
  if (!matches.missing.empty()) {
    remarks.push_back(
        fmt::format("{}: has no {}: drawn at random", path, first_names(matches.missing)));
  }
  return remarks;
}

}  // namespace epochcast::weights
