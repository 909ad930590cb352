// MLPerf's events (mlcommons/logging): epochs or blocks, evaluations after an epoch or inside it.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace mllog_text {
void write(Program& p) {
  Plan plan(p, true);
  const auto base = p.whole(0, 1);
  const auto prefix = p.pick({"", "", "0: ", "[1,0]<stdout>:"});
  const std::int64_t at_start = 1795560400000;
  const auto event = [&](const char* type, const std::string& key, const std::string& value,
                         const std::string& more = "") {
    p.plain(fmt::format(
        R"({}:::MLLOG {{"namespace": "", "time_ms": {}, "event_type": "{}", "key": "{}", "value": {}, "metadata": {{"file": "train.py", "lineno": 7341{}}}}})",
        prefix, at_start + static_cast<std::int64_t>(p.now_s * 1000), type, key, value, more));
  };
  const auto begin = [&](const std::string& key, const std::string& more = "") {
    event("INTERVAL_START", key + "_start", "null", more);
  };
  const auto end = [&](const std::string& key, const std::string& more = "") {
    event("INTERVAL_END", key + "_stop", "null", more);
  };
  const auto of = [&](double epoch) { return fmt::format(R"(, "epoch_num": {})", epoch); };
  event("POINT_IN_TIME", "submission_benchmark", "\"resnet\"");
  event("POINT_IN_TIME", "global_batch_size", "7341");
  event("POINT_IN_TIME", "seed", "7341");
  begin("init");
  p.wait(p.real(0.5, 60));
  end("init");
  begin("run");
  const auto inside = p.chance(0.3) ? p.whole(1, 3) : 0;
  if (inside > 0) {
    p.kind("evaluations inside the epoch");
  }
  const double epoch_s = plan.step_s * static_cast<double>(plan.steps);
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const auto printed = number + base;
    const double factor = p.real(0.97, 1.03);
    begin("epoch", of(static_cast<double>(printed)));
    double wall_s = 0;
    double evaluate_s = 0;
    std::string last;
    const auto evaluate = [&](double at) {
      begin("eval", of(at));
      const double s = std::max(plan.evaluate_s, 0.2);
      p.wait(s);
      evaluate_s += s;
      last = p.number(0.1, 0.7, 4);
      event("POINT_IN_TIME", "eval_accuracy", last, of(at));
      end("eval", of(at));
    };
    for (std::int64_t part = 0; part <= inside; ++part) {
      const double s = epoch_s * factor / static_cast<double>(inside + 1);
      if (steps < plan.steps && part == inside) {
        p.wait(s / 2);
        return;
      }
      p.wait(s);
      wall_s += s;
      if (part < inside) {
        evaluate(static_cast<double>(number) +
                 static_cast<double>(part + 1) / static_cast<double>(inside + 1));
      }
    }
    end("epoch", of(static_cast<double>(printed)));
    if (plan.evaluate_s > 0) {
      evaluate(static_cast<double>(printed));
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = wall_s;
    epoch.evaluate_s = evaluate_s;
    epoch.slack_s = 0.01;
    epoch.stated_s = wall_s;
    epoch.stated_evaluate_s = evaluate_s;
    epoch.stated_slack_s = 0.01;
    if (!last.empty()) {
      epoch.metrics = {{"eval_accuracy", std::stod(last)}};
    }
  });
  if (!plan.part && plan.end == plan.total) {
    event("INTERVAL_END", "run_stop", "null", R"(, "status": "success")");
  }
}

}  // namespace mllog_text

TextSpec mllog() {
  return {mllog_text::write};
}

}  // namespace epochcast::tests::texts
