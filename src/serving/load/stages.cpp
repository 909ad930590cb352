#include "src/serving/load/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::load {
namespace {

struct Published {
  std::string_view name;
  std::string_view stages;
};
/// k6 starts with one user unless it is told otherwise.
constexpr std::array published{
    Published{"study", "1-10:30s,10:7m,10-0:3m"},
    Published{"study_local", "1-20:30s,20:1m,20-0:30s"},
};

constexpr std::size_t most_users = 100'000;

Error bad_stage(std::string_view found) {
  return Error(
      fmt::format("found '{}', expected LOAD:TIME, such as 10/s:30s (requests a second), 10:30s "
                  "(users) or 1-10:30s (a ramp), study, study_local or study/60",
                  printable(found)));
}

std::optional<double> load_of(std::string_view text) {
  const auto number = parse_double(text);
  return number && std::isfinite(*number) && *number >= 0 ? number : std::nullopt;
}

struct ParsedStage {
  Stage stage;
  bool is_rate = false;
};

ParsedStage parse_stage(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    throw bad_stage(text);
  }
  ParsedStage parsed;
  auto load = text.substr(0, colon);
  parsed.is_rate = load.ends_with("/s");
  load.remove_suffix(parsed.is_rate ? 2 : 0);
  const auto dash = load.find('-');
  const auto from = load_of(load.substr(0, dash));
  const auto to = dash == std::string_view::npos ? from : load_of(load.substr(dash + 1));
  const auto duration_s = parse_duration_s(text.substr(colon + 1));
  if (!from || !to || !duration_s || *duration_s <= 0) {
    throw bad_stage(text);
  }
  parsed.stage = {*from, *to, *duration_s};
  return parsed;
}

bool is_user_count(double load) {
  return load == std::floor(load) && load <= static_cast<double>(most_users);
}

void check_loads(const Stages& stages, std::string_view text, std::string_view arrivals) {
  const bool is_closed = arrivals == "closed";
  if (stages.are_rates == is_closed) {
    throw Error(
        fmt::format("found '{}' with arrivals {}; expected {}", printable(text), arrivals,
                    is_closed ? "numbers of users, such as 10:30s" : "rates, such as 10/s:30s"));
  }
  for (const auto& stage : stages.list) {
    if (is_closed && !(is_user_count(stage.from) && is_user_count(stage.to))) {
      throw Error(fmt::format("found '{}', expected whole numbers of users up to {}",
                              printable(text), most_users));
    }
  }
  if (stages.most() == 0) {
    throw Error(fmt::format("found '{}', expected a load above 0", printable(text)));
  }
}

/// The stages after a name, and the factor by which they are shortened.
std::string_view resolve_name(std::string_view text, double& factor) {
  const auto slash = text.find('/');
  const auto name = text.substr(0, slash);
  const auto* known = std::ranges::find(published, name, &Published::name);
  if (known == published.end()) {
    return text;
  }
  if (slash != std::string_view::npos) {
    const auto found = parse_double(text.substr(slash + 1));
    if (!found || !std::isfinite(*found) || *found <= 0) {
      throw bad_stage(text);
    }
    factor = *found;
  }
  return known->stages;
}

double expected_in(const Stage& stage) {
  return (stage.from + stage.to) / 2 * stage.duration_s;
}

/// The time in the stage at which `count` arrivals are expected: the root of
/// from t + (to - from) / (2 T) t^2 = count, in the form that is exact where both rates are equal.
double arrival_s(const Stage& stage, double count) {
  const double slope = (stage.to - stage.from) / stage.duration_s;
  const double root = std::sqrt(std::max(0.0, stage.from * stage.from + 2 * slope * count));
  return count > 0 ? std::min(stage.duration_s, 2 * count / (stage.from + root)) : 0;
}

}  // namespace

double Stages::total_s() const {
  return start_s(list.size());
}

double Stages::start_s(std::size_t stage) const {
  double sum_s = 0;
  for (std::size_t i = 0; i < stage; ++i) {
    sum_s += list[i].duration_s;
  }
  return sum_s;
}

std::size_t Stages::at(double time_s) const {
  double end_s = 0;
  for (std::size_t i = 0; i + 1 < list.size(); ++i) {
    end_s += list[i].duration_s;
    if (time_s < end_s) {
      return i;
    }
  }
  return list.size() - 1;
}

double Stages::most() const {
  double most = 0;
  for (const auto& stage : list) {
    most = std::max({most, stage.from, stage.to});
  }
  return most;
}

Stages parse_stages(std::string_view text, std::string_view arrivals) {
  double factor = 1;
  Stages stages;
  for (const auto& part : split(resolve_name(trim(text), factor), ',')) {
    const auto parsed = parse_stage(trim(part));
    if (!stages.list.empty() && parsed.is_rate != stages.are_rates) {
      throw Error(fmt::format("found '{}', expected either users or rates", printable(text)));
    }
    stages.are_rates = parsed.is_rate;
    stages.list.push_back(parsed.stage);
    stages.list.back().duration_s /= factor;
  }
  if (stages.list.empty()) {
    throw bad_stage(text);
  }
  check_loads(stages, text, arrivals);
  return stages;
}

std::optional<double> next_active_s(const Stages& stages, std::size_t user, double from_s) {
  const auto number = static_cast<double>(user);
  double start_s = 0;
  for (const auto& [from, to, duration_s] : stages.list) {
    double first_s = start_s;
    double end_s = start_s + duration_s;
    if (to >= from) {
      // A rising load reaches the user when it is number + 1.
      first_s = from >= number + 1 ? start_s
                : to >= number + 1 ? start_s + duration_s * (number + 1 - from) / (to - from)
                                   : end_s;
    } else {
      end_s = from > number ? std::min(end_s, start_s + duration_s * (from - number) / (from - to))
                            : start_s;
    }
    if (std::max(first_s, from_s) < end_s) {
      return std::max(first_s, from_s);
    }
    start_s += duration_s;
  }
  return std::nullopt;
}

Arrivals::Arrivals(const Stages& stages, bool poisson, std::int64_t seed)
    : stages_(stages), poisson_(poisson), random_(static_cast<std::uint64_t>(seed)), wanted_(0) {
  // Half a step: evenly spaced requests lie in the middle of their intervals.
  wanted_ = poisson_ ? random_.exponential() : 0.5;
}

std::optional<Arrivals::Arrival> Arrivals::next() {
  while (stage_ < stages_.list.size()) {
    const auto& stage = stages_.list[stage_];
    if (wanted_ < expected_in(stage)) {
      const Arrival arrival{stage_start_s_ + arrival_s(stage, wanted_), stage_};
      wanted_ += poisson_ ? random_.exponential() : 1;
      return arrival;
    }
    wanted_ -= expected_in(stage);
    stage_start_s_ += stage.duration_s;
    ++stage_;
  }
  return std::nullopt;
}

}  // namespace epochcast::load
