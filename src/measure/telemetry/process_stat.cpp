#include "src/measure/telemetry/process_stat.hpp"

#include <string_view>
#include <utility>

#include "src/measure/telemetry/files.hpp"

namespace epochcast::telemetry {
namespace {

std::string_view word_after(const std::string& text, std::size_t name_end, StatWord word) {
  return word_at(std::string_view(text).substr(name_end + 1), static_cast<std::size_t>(word));
}

}  // namespace

ProcessStat::ProcessStat(std::string text, std::size_t name, std::size_t name_end)
    : text_(std::move(text)), name_(name), name_end_(name_end) {}

std::optional<ProcessStat> ProcessStat::parse(std::string text) {
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return std::nullopt;
  }
  return ProcessStat(std::move(text), open + 1, close);
}

char ProcessStat::state() const {
  const auto letter = word_after(text_, name_end_, StatWord::state);
  return letter.empty() ? ' ' : letter.front();
}

std::optional<double> ProcessStat::number(StatWord word) const {
  return first_number(word_after(text_, name_end_, word));
}

}  // namespace epochcast::telemetry
