#include "src/output/plot/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/base/core/text.hpp"

namespace epochcast::plot {
namespace {

constexpr std::size_t usual_marks = 8;

std::string superscript(int number) {
  static const std::vector<std::string> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : fmt::format("{}", number)) {
    text += c == '-' ? std::string("⁻") : digits[static_cast<std::size_t>(c - '0')];
  }
  return text;
}

/// With six significant digits at most: 0.1 * 3 is a mark at 0.3.
std::string plain(double value) {
  return fmt::format("{:.6g}", value);
}

std::string power_text(double value) {
  const int power = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  const auto factor = plain(value / std::pow(10, power));
  return (factor == "1" ? "" : factor + "×") + "10" + superscript(power);
}

}  // namespace

double round_step(double range, std::size_t count, bool whole) {
  const double raw = range / static_cast<double>(std::max<std::size_t>(count, 1));
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    const double step = factor * power;
    if (step >= raw * (1 - 1e-9) && (!whole || step == std::round(step))) {
      return step;
    }
  }
  return whole ? std::max(1.0, std::round(10 * power)) : 10 * power;
}

std::string tick_label(double value) {
  const double size = std::abs(value);
  if (size == 0) {
    return "0";
  }
  if (size < 9.99e-4 || size >= 1e15) {
    return power_text(value);
  }
  constexpr double whole_below = 1e4;
  if (size < whole_below) {
    return plain(value);
  }
  for (const auto& [unit, name] :
       {std::pair{1e12, "T"}, std::pair{1e9, "G"}, std::pair{1e6, "M"}, std::pair{1e3, "k"}}) {
    if (size >= unit) {
      return plain(value / unit) + "\u00A0" + name;
    }
  }
  return plain(value);
}

std::string short_number(double value) {
  return tick_label(parse_double(fmt::format("{:.2e}", value)).value_or(value));
}

Scale::Scale(Axis axis, const std::vector<double>& values, bool ends_at_marks)
    : axis_(std::move(axis)) {
  bool any = false;
  for (const double value : values) {
    if (shows(value)) {
      low_ = any ? std::min(low_, value) : value;
      high_ = any ? std::max(high_, value) : value;
      any = true;
    }
  }
  if (!any) {
    throw std::logic_error("Scale: no value can be shown");
  }
  if (axis_.scale == Axis::Scale::categories) {
    low_ = -0.5;
    high_ = static_cast<double>(axis_.categories.size()) - 0.5;
  } else if (axis_.scale == Axis::Scale::log) {
    set_log();
  } else {
    set_linear(ends_at_marks);
  }
  low_ = axis_.low.value_or(low_);
  high_ = axis_.high.value_or(high_);
  if (!(low_ < high_)) {
    high_ = low_ + (low_ == 0 ? 1 : std::abs(low_));
  }
}

void Scale::set_linear(bool ends_at_marks) {
  if (axis_.from_zero) {
    low_ = std::min(low_, 0.0);
    high_ = std::max(high_, 0.0);
  }
  if (low_ == high_) {
    const double reach = axis_.whole || low_ == 0 ? 1 : std::abs(low_) * 0.1;
    low_ -= low_ == 0 && axis_.from_zero ? 0 : reach;
    high_ += reach;
  }
  if (ends_at_marks) {
    const double margin = 0.04 * (high_ - low_);
    const double step = round_step(high_ - low_ + margin, usual_marks, axis_.whole);
    const bool below = low_ < 0;  // times and losses above 0 get no room below it
    const bool above = high_ > 0;
    low_ = std::floor((low_ - margin) / step) * step;
    high_ = std::ceil((high_ + margin) / step) * step;
    low_ = below ? low_ : std::max(low_, 0.0);
    high_ = above ? high_ : std::min(high_, 0.0);
  } else {
    constexpr double margin = 0.03;
    const double reach = margin * (high_ - low_);
    low_ -= low_ == 0 ? reach / 2 : reach;
    high_ += reach;
  }
}

void Scale::set_log() {
  const double ratio = high_ / low_;
  const double margin = ratio < 1.001 ? 1.5 : std::max(1.02, std::pow(ratio, 0.05));
  low_ /= margin;
  high_ *= margin;
}

bool Scale::shows(double value) const {
  return can_show(axis_, value);
}

double Scale::place(double value) const {
  if (axis_.scale == Axis::Scale::log) {
    return std::log(value / low_) / std::log(high_ / low_);
  }
  return (value - low_) / (high_ - low_);
}

std::vector<Tick> Scale::ticks(std::size_t most) const {
  std::vector<Tick> result;
  if (axis_.scale == Axis::Scale::categories) {
    for (std::size_t i = 0; i < axis_.categories.size(); ++i) {
      result.push_back({static_cast<double>(i), axis_.categories[i]});
    }
    return result;
  }
  if (axis_.marks.empty() || axis_.marks.size() > 2 * most) {
    return axis_.scale == Axis::Scale::log ? log_ticks(most) : linear_ticks(most);
  }
  for (const double value : axis_.marks) {
    if (shows(value) && value >= low_ && value <= high_) {
      result.push_back({value, tick_label(value)});
    }
  }
  return result;
}

std::vector<Tick> Scale::linear_ticks(std::size_t most) const {
  const double step = round_step(high_ - low_, most, axis_.whole);
  std::vector<Tick> result;
  const double slack = 1e-6 * step;
  for (double at = std::ceil((low_ - slack) / step); at * step <= high_ + slack; ++at) {
    const double value = at * step;
    result.push_back({std::abs(value) < slack ? 0 : value, tick_label(value)});
  }
  return result;
}

/// Powers of ten, and what is between them where there is room; of many powers every second, third.
std::vector<Tick> Scale::log_ticks(std::size_t most) const {
  const double decades = std::log10(high_ / low_);
  if (decades < 0.4) {
    return linear_ticks(most);
  }
  static const std::vector<std::vector<double>> choices{
      {1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}};
  const auto fitting = std::ranges::find_if(choices, [&](const std::vector<double>& factors) {
    return decades * static_cast<double>(factors.size()) <= static_cast<double>(most) + 1;
  });
  const auto& factors = fitting == choices.end() ? choices.back() : *fitting;
  const int every = std::max(
      1,
      static_cast<int>(std::ceil(decades / static_cast<double>(std::max<std::size_t>(most, 1)))));
  std::vector<Tick> result;
  for (int power = static_cast<int>(std::floor(std::log10(low_))); power <= std::log10(high_);
       ++power) {
    for (const double factor : factors) {
      const double value = factor * std::pow(10, power);
      if (power % every == 0 && value >= low_ * (1 - 1e-9) && value <= high_ * (1 + 1e-9)) {
        result.push_back({value, tick_label(value)});
      }
    }
  }
  return result;
}

}  // namespace epochcast::plot
