// Stable-Baselines3's tables, on-policy and off-policy.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace stable_baselines_text {
void table(Program& p, std::initializer_list<std::pair<const char*, std::string>> rows) {
  p.plain(std::string(41, '-'));
  for (const auto& [name, value] : rows) {
    p.plain(fmt::format("| {:<23} | {:<11} |", name, value));
  }
  p.plain(std::string(41, '-'));
}

void on_policy(Program& p) {
  p.kind("on-policy");
  const auto samples = p.pick<std::int64_t>({512, 2048, 8192});
  const auto every = p.chance(0.25) ? p.pick<std::int64_t>({2, 10}) : 1;
  const auto count = p.whole(3, 25);
  const double epoch_s = p.spread(2, 200);
  double begin_s = p.now_s;
  const auto calls = p.chance(0.25) ? p.whole(2, 4) : 1;  // of learn()
  const bool goes_on = p.chance(0.5);                     // reset_num_timesteps=False
  p.kind(fmt::format("{} calls of learn()", calls));
  for (std::int64_t call = 0; call < calls; ++call) {
    const double start_s = p.now_s;
    const auto before = call * count * every;
    for (std::int64_t i = 1; i <= count; ++i) {
      p.wait(epoch_s * static_cast<double>(every) * p.real(0.97, 1.03));
      const auto elapsed = static_cast<std::int64_t>(p.now_s - start_s);
      const auto done = i * every;
      const auto steps = std::to_string(((goes_on ? before : 0) + done) * samples);
      const auto fps = std::to_string(done * samples / std::max<std::int64_t>(elapsed, 1));
      table(p, {{"rollout/", ""},
                {"   ep_len_mean", p.number(10, 200, 1)},
                {"   ep_rew_mean", p.number(10, 200, 1)},
                {"time/", ""},
                {"   fps", fps},
                {"   iterations", std::to_string(done)},
                {"   time_elapsed", std::to_string(elapsed)},
                {"   total_timesteps", steps},
                {"train/", ""},
                {"   approx_kl", "0.0081"},
                {"   loss", p.number(0.1, 9, 3)},
                {"   n_updates", std::to_string(10 * (done - 1))}});
      for (auto n = done - every; n < done; ++n) {
        auto& epoch = p.epoch(before + n);
        epoch.wall_s = (p.now_s - begin_s) / static_cast<double>(every);
        epoch.stated_s = epoch.wall_s;
        epoch.stated_slack_s = 1.05;
        epoch.from_start = false;
        if (before + n < every) {
          epoch.slack_s = start_s / static_cast<double>(every) +
                          1;  // from the start of the program, or by time_elapsed
        }
      }
      begin_s = p.now_s;
    }
  }
}

void off_policy(Program& p) {
  p.kind("off-policy");
  const auto count = p.whole(6, 25);
  const double fps = p.real(50, 900);
  const double start_s = p.now_s;
  std::int64_t steps = 0;
  for (std::int64_t i = 1; i <= count; ++i) {
    const auto more = p.whole(400, 1000);
    steps += more;
    p.wait(static_cast<double>(more) / fps);
    table(p, {{"rollout/", ""},
              {"   ep_len_mean", "150"},
              {"   ep_rew_mean", p.number(10, 200, 1)},
              {"time/", ""},
              {"   episodes", std::to_string(4 * i)},
              {"   fps", std::to_string(static_cast<std::int64_t>(fps))},
              {"   time_elapsed", std::to_string(static_cast<std::int64_t>(p.now_s - start_s))},
              {"   total_timesteps", std::to_string(steps)}});
  }
  p.text.run_steps = TrueSteps{.last = steps,
                               .total = {},
                               .step_s = 1 / fps,
                               .slack_s = 0.02 / fps,
                               .stated_s = 1 / fps,
                               .stated_slack_s = 1.0 / 400};
}

void write(Program& p) {
  p.wait(p.real(0.5, 10));
  p.plain("Using cuda device");
  p.plain("Wrapping the env with a `Monitor` wrapper");
  p.chance(0.75) ? on_policy(p) : off_policy(p);
}

}  // namespace stable_baselines_text

TextSpec stable_baselines() {
  return {stable_baselines_text::write};
}

}  // namespace epochcast::tests::texts
