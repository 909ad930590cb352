#include "src/base/core/regular_expression.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8  // NOLINT: the library asks for it
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast {
namespace {

// A progress line takes some hundred steps; at the limit, a search ends after about a millisecond.
constexpr std::uint32_t most_steps = 100'000;
constexpr std::uint32_t most_heap_kib = 1024;

PCRE2_SPTR pcre_bytes(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

std::string pcre_message(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

struct RegularExpression::Compiled {
  pcre2_code* code = nullptr;
  pcre2_match_data* match = nullptr;
  pcre2_match_context* limits = nullptr;
  std::vector<std::pair<std::string, std::uint32_t>> groups;

  Compiled() = default;
  Compiled(Compiled&&) = delete;
  ~Compiled() {
    pcre2_match_context_free(limits);
    pcre2_match_data_free(match);
    pcre2_code_free(code);
  }

  void read_names() {
    std::uint32_t count = 0;
    std::uint32_t size = 0;
    PCRE2_SPTR table = nullptr;
    pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &count);
    pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &size);
    pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, static_cast<void*>(&table));
    for (; count > 0; --count, table += size) {  // two bytes of the number, the name, NUL
      groups.emplace_back(reinterpret_cast<const char*>(table + 2), table[0] << 8U | table[1]);
    }
  }
};

RegularExpression::RegularExpression(const std::string& pattern, std::string_view option) {
  auto compiled = std::make_shared<Compiled>();
  int error = 0;
  PCRE2_SIZE place = 0;
  compiled->code = pcre2_compile(pcre_bytes(pattern), pattern.size(),
                                 PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C,
                                 &error, &place, nullptr);
  if (compiled->code == nullptr) {
    throw Error(fmt::format("{}: '{}' is no regular expression: {}, at character {}", option,
                            printable(pattern), pcre_message(error), place + 1));
  }
  pcre2_jit_compile(compiled->code, PCRE2_JIT_COMPLETE);  // where it cannot, the slower way is used
  compiled->match = pcre2_match_data_create_from_pattern(compiled->code, nullptr);
  compiled->limits = pcre2_match_context_create(nullptr);
  if (compiled->match == nullptr || compiled->limits == nullptr) {
    throw OutOfMemory(fmt::format("{}: not enough memory", option));
  }
  pcre2_set_match_limit(compiled->limits, most_steps);
  pcre2_set_heap_limit(compiled->limits, most_heap_kib);
  compiled->read_names();
  for (const auto& [name, number] : compiled->groups) {
    names_.push_back(name);
  }
  std::ranges::sort(compiled->groups, {}, &std::pair<std::string, std::uint32_t>::second);
  compiled_ = std::move(compiled);
}

bool RegularExpression::has(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

std::optional<std::string_view> RegularExpression::Match::operator[](std::string_view name) const {
  const auto found =
      std::ranges::find(groups_, name, [](const auto& group) { return group.first; });
  return found == groups_.end() ? std::nullopt : std::optional(found->second);
}

/// Of the match that was found last.
RegularExpression::Match RegularExpression::last_match(std::string_view text) const {
  const auto* ends = pcre2_get_ovector_pointer(compiled_->match);
  const auto count = pcre2_get_ovector_count(compiled_->match);
  Match found;
  found.groups_.reserve(compiled_->groups.size());
  for (const auto& [name, number] : compiled_->groups) {
    if (number >= count) {
      continue;
    }
    const auto begin = ends[2 * std::size_t{number}];
    const auto end = ends[2 * std::size_t{number} + 1];
    if (begin != PCRE2_UNSET && begin <= end && end <= text.size()) {
      found.groups_.emplace_back(name, text.substr(begin, end - begin));
    }
  }
  return found;
}

int RegularExpression::match(std::string_view text, std::size_t from) const {
  return pcre2_match(compiled_->code, pcre_bytes(text), text.size(), from, 0, compiled_->match,
                     compiled_->limits);
}

std::optional<RegularExpression::Match> RegularExpression::find(std::string_view text,
                                                                std::size_t from) const {
  return match(text, from) < 0 ? std::nullopt : std::optional(last_match(text));
}

std::string RegularExpression::replace(std::string_view text, std::string_view name,
                                       const Replacement& by) const {
  const auto number = std::size_t{std::ranges::find(compiled_->groups, name, [](const auto& group) {
                                    return std::string_view(group.first);
                                  })->second};
  std::string replaced;
  std::size_t copied = 0;
  std::size_t at = 0;
  int found = 0;
  while ((found = match(text, at)) > 0) {
    const auto* ends = pcre2_get_ovector_pointer(compiled_->match);
    const auto begin = ends[2 * number];
    const auto end = ends[2 * number + 1];
    if (const auto other = by(last_match(text))) {
      replaced.append(text.substr(copied, begin - copied)).append(*other);
      copied = end;
    }
    at = std::max(at + 1, copied == end ? end : begin);
  }
  return found == PCRE2_ERROR_NOMATCH ? replaced.append(text.substr(copied)) : replaced;
}

}  // namespace epochcast
