// CatBoost's logger: a line after each round or each Nth and the last, counted from 0, with the
// time since the start of the training in three digits.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace catboost_text {
std::string spent(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  return seconds < 1      ? fmt::format("{:.3g}ms", seconds * 1e3)
         : seconds < 60   ? fmt::format("{:.3g}s", seconds)
         : seconds < 3600 ? fmt::format("{}m {}s", whole / 60, whole % 60)
                          : fmt::format("{}h {}m {}s", whole / 3600, whole / 60 % 60, whole % 60);
}

void write(Program& p) {
  const auto every = p.chance(0.4) ? p.pick<std::int64_t>({5, 10, 50}) : 1;
  const auto count = every == 1 ? p.whole(3, 60) : every * p.whole(2, 8) + p.whole(2, every);
  const double round_s = p.spread(0.05, 20);
  const bool tests = p.chance(0.7);
  const auto fits = p.chance(0.25) ? p.whole(2, 4) : 1;
  p.kind(fmt::format("{} fits", fits));
  if (p.chance(0.4)) {
    p.use_stamps(round_s * 50);
  }
  p.wait(p.real(0.1, 30));
  std::int64_t next = 0;
  double shown_s = 0;
  for (std::int64_t fit = 0; fit < fits; ++fit) {
    p.line("Learning rate set to 0.7341");
    const double start_s = p.now_s;
    double begin_s = fit == 0 ? start_s : shown_s;
    double clock_s = 0;
    for (std::int64_t round = 0; round < count; ++round) {
      p.wait(round_s * p.real(0.99, 1.01));
      if (round % every != 0 && round + 1 != count) {
        continue;
      }
      const auto a = p.number(0.01, 2, 7);
      const auto b = p.number(0.01, 2, 7);
      p.line(fmt::format("{}:\tlearn: {}{}\ttotal: {}\tremaining: {}", round, a,
                         tests ? fmt::format("\ttest: {0}\tbest: 0.7341 ({1})", b, round) : "",
                         spent(p.now_s - start_s),
                         spent(round_s * static_cast<double>(count - round - 1))));
      const auto rounds = fit * count + round + 1 - next;
      for (; next <= fit * count + round; ++next) {
        auto& epoch = p.epoch(next);
        epoch.wall_s = (p.now_s - begin_s) / static_cast<double>(rounds);
        epoch.stated_s = (p.now_s - start_s - clock_s) / static_cast<double>(rounds);
        epoch.stated_slack_s = p.now_s - start_s < 60 ? 0.01 * (p.now_s - start_s) : 1.1;
        // Of the first of a fit, the stated clock leaves out what came before.
        epoch.slack_s = 0.01 * round_s + (fit == 0 && round == 0 ? 1 : 0) +
                        (begin_s < start_s ? start_s - begin_s : 0);
      }
      p.text.epochs.back().metrics = {{"learn", std::stod(a)}};
      if (tests) {
        p.text.epochs.back().metrics.push_back({"test", std::stod(b)});
      }
      begin_s = shown_s = p.now_s;
      clock_s = p.now_s - start_s;
    }
    if (tests) {
      p.line("");
      p.line("bestTest = 0.7341");
      p.line("bestIteration = 7341");
    }
    p.wait(p.real(0, 3) * round_s);
  }
  p.text.ambiguous = every > 1 && count < 3 * every;
}

}  // namespace catboost_text

TextSpec catboost() {
  return {catboost_text::write};
}

}  // namespace epochcast::tests::texts
