#include "src/measure/progress/reading/identities.hpp"

#include <algorithm>

#include "src/base/core/regular_expression.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t most_names = 256;

bool is_measured(const std::string& name) {
  static const RegularExpression form(
      R"((?i)loss|acc|err|reward|return|score|rate|lr|f1|auc|bleu|map|iou|prec|recall|token|image|sample)"
      R"(|example|frame|word|param|correct)");
  return form.find(name).has_value();
}

/// In seconds or milliseconds, from 2014 to 2039.
bool may_be_unix_time(double value) {
  return (value > 1.4e9 && value < 2.2e9) || (value > 1.4e12 && value < 2.2e12);
}

}  // namespace

void Identities::count(const PlainLine& line) {
  for (const auto& value : line.metrics) {
    if (tracks_.size() >= most_names && !tracks_.contains(value.name)) {
      continue;
    }
    const auto [found, is_new] = tracks_.try_emplace(value.name);
    auto& track = found->second;
    track.first_epoch = is_new ? line.epoch : track.first_epoch;
    track.constant = track.constant &&
                     std::ranges::find(line.whole, value.name) != line.whole.end() &&
                     (is_new || value.value == track.last);
    track.unix_time =
        track.unix_time && may_be_unix_time(value.value) && (is_new || value.value >= track.last);
    track.last_epoch = line.epoch;
    track.last = value.value;
  }
}

bool Identities::contains(const std::string& name) const {
  const auto found = tracks_.find(name);
  return found != tracks_.end() && found->second.last_epoch > found->second.first_epoch &&
         (found->second.constant || found->second.unix_time) && !is_measured(name);
}

}  // namespace epochcast::progress
