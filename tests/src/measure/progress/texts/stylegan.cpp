// StyleGAN2-ADA's and StyleGAN3's ticks.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace stylegan_text {
std::string time(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds + 0.5);
  return s < 60      ? fmt::format("{}s", s)
         : s < 3600  ? fmt::format("{}m {:02d}s", s / 60, s % 60)
         : s < 86400 ? fmt::format("{}h {:02d}m {:02d}s", s / 3600, s / 60 % 60, s % 60)
                     : fmt::format("{}d {:02d}h {:02d}m", s / 86400, s / 3600 % 24, s / 60 % 60);
}

void write(Program& p) {
  const auto ticks = p.whole(2, 30);
  const double tick_s = p.spread(5, 1500);
  if (p.chance(0.2)) {
    p.use_stamp_style(4);
  }
  p.wait(p.real(1, 10));
  const double start_s = p.now_s;
  p.line("Training for 25000 kimg...");
  p.line("");
  const double kimg = 4;
  double last_s = 0;
  for (std::int64_t tick = 0; tick <= ticks; ++tick) {
    const double maintenance_s = tick == 0        ? p.real(3, 20)
                                 : p.chance(0.15) ? p.real(20, 200)
                                                  : p.real(0.1, 5);
    const double seconds = tick == 0 ? p.real(1, 10) : tick_s * p.real(0.97, 1.03);
    p.wait(maintenance_s + seconds);
    p.line(fmt::format(
        "tick {:<5d} kimg {:<8.1f} time {:<12s} sec/tick {:<7.1f} sec/kimg {:<7.2f} maintenance "
        "{:<6.1f} cpumem 7.34   gpumem 7.34   reserved 7.34   augment 0.000",
        tick, kimg * static_cast<double>(tick), time(p.now_s - start_s), seconds, seconds / kimg,
        maintenance_s));
    if (tick > 0) {
      auto& epoch = p.epoch(tick - 1);
      epoch.wall_s = p.now_s - last_s;
      epoch.slack_s = 0.15;
      epoch.stated_s = epoch.wall_s;
      epoch.stated_slack_s = 0.15;
    }
    last_s = p.now_s;
    if (tick > 0 && p.chance(0.1)) {
      p.line(
          R"({"results": {"fid50k_full": 12.5}, "metric": "fid50k_full", "total_time": 73.41, "snapshot_pkl": "network-snapshot-007341.pkl"})");
    }
  }
}

}  // namespace stylegan_text

TextSpec stylegan() {
  return {stylegan_text::write};
}

}  // namespace epochcast::tests::texts
