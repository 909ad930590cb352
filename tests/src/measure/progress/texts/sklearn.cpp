// scikit-learn with verbose: GradientBoosting's table (VerboseReporter), MLP's iterations, and the
// epochs of SGD's estimators.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace sklearn_text {
/// Rounds that a line each shows, from 1; those since the line before share the time.
struct Rounds {
  Program& p;
  double begin_s;
  std::int64_t before = 0;  ///< Of earlier fits.
  std::int64_t next = 0;

  void shown(std::int64_t round, std::initializer_list<TrueMetric> metrics) {
    const auto rounds = before + round - next;
    for (; next < before + round; ++next) {
      auto& epoch = p.epoch(next);
      epoch.wall_s = (p.now_s - begin_s) / static_cast<double>(rounds);
      epoch.from_start = next == 0 && begin_s == 0;
    }
    p.text.epochs.back().metrics = metrics;
    begin_s = p.now_s;
  }
};

void boosting(Program& p, std::int64_t fits) {
  p.kind("boosting");
  // How many rounds there were is not shown of other numbers.
  const auto count = fits > 1 ? 10 * p.whole(1, 5) : p.whole(3, 60);
  const bool sampled = p.chance(0.4);
  const double round_s = p.spread(0.05, 20);
  Rounds rounds{p, 0};
  for (std::int64_t fit = 0; fit < fits; ++fit, rounds.before += count) {
    p.wait(fit > 0 ? p.real(0, 30) * round_s : 0);
    rounds.begin_s = p.now_s;
    p.line(sampled ? "      Iter       Train Loss      OOB Improve   Remaining Time "
                   : "      Iter       Train Loss   Remaining Time ");
    for (std::int64_t round = 1; round <= count; ++round) {
      p.wait(round_s * p.real(0.99, 1.01));
      if (round > 10 && round % 10 != 0) {
        continue;
      }
      const auto loss = p.number(0.01, 2, 4);
      const double left_s = round_s * static_cast<double>(count - round);
      p.line(fmt::format(
          "{:>10} {:>16}{} {:>16}", round, loss, sampled ? fmt::format(" {:>16}", "0.0734") : "",
          left_s > 60 ? fmt::format("{:.2f}m", left_s / 60) : fmt::format("{:.2f}s", left_s)));
      rounds.shown(round, {{"train_loss", std::stod(loss)}});
    }
  }
}

void perceptron(Program& p, std::int64_t fits) {
  p.kind("perceptron");
  const auto count = p.whole(3, 60);
  const bool validates = p.chance(0.4);
  const double round_s = p.spread(0.05, 20);
  Rounds rounds{p, 0};
  for (std::int64_t fit = 0; fit < fits; ++fit, rounds.before += count) {
    for (std::int64_t round = 1; round <= count; ++round) {
      p.wait(round_s * p.real(0.99, 1.01));
      const auto loss = p.number(0.01, 2, 8);
      const auto score = p.number(0.1, 1, 6);
      p.line(fmt::format("Iteration {}, loss = {}", round, loss));
      rounds.shown(round, {{"loss", std::stod(loss)}});
      if (validates) {
        p.line("Validation score: " + score);
        p.text.epochs.back().metrics.push_back({"validation_score", std::stod(score)});
      }
    }
  }
}

void descent(Program& p, std::int64_t fits) {
  p.kind("descent");
  const auto count = p.whole(3, 40);
  const double epoch_s = p.spread(0.05, 20);
  std::int64_t next = 0;
  for (std::int64_t fit = 0; fit < fits; ++fit) {
    const double start_s = p.now_s;
    for (std::int64_t number = 1; number <= count; ++number) {
      const double begin_s = p.now_s;
      p.line(fmt::format("-- Epoch {}", number));
      p.wait(epoch_s * p.real(0.99, 1.01));
      const auto loss = p.number(0.01, 2, 6);
      p.line(fmt::format(
          "Norm: 7.34, NNZs: 8, Bias: -7.341000, T: {}, Avg. loss: {}, Objective: 0.734100",
          400 * number, loss));
      p.line(fmt::format("Total training time: {:.2f} seconds.", p.now_s - start_s));
      auto& epoch = p.epoch(next++);
      epoch.wall_s = p.now_s - begin_s;
      epoch.stated_s = epoch.wall_s;
      epoch.stated_slack_s = 0.02;
      epoch.metrics = {{"avg_loss", std::stod(loss)}};
    }
    p.line(
        fmt::format("Convergence after {} epochs took {:.2f} seconds", count, p.now_s - start_s));
  }
}

void write(Program& p) {
  const auto fits = p.chance(0.25) ? p.whole(2, 4) : 1;
  p.kind(fmt::format("{} fits", fits));
  if (p.chance(0.4)) {
    p.use_stamps(200);
  }
  p.wait(p.real(0.1, 1));
  p.line("training on 7341 rows");
  p.pick<void (*)(Program&, std::int64_t)>({boosting, perceptron, descent})(p, fits);
}

}  // namespace sklearn_text

TextSpec sklearn() {
  return {sklearn_text::write};
}

}  // namespace epochcast::tests::texts
