#include "src/forecast/queue/queue_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "src/forecast/queue/backfill_plan.hpp"

namespace epochcast::queue {
namespace {

/// A job that runs in a draw.
struct Started {
  const ModelJob* job = nullptr;
  std::vector<std::size_t> nodes;
  double end_s = 0;        ///< When it ends in this draw.
  double limit_end_s = 0;  ///< When it ends at the latest: what the scheduler knows.
};

PastUse use_of(const ModelJob& job) {
  return {.user = job.user, .limit_s = job.limit_s, .request = job.request, .kind = job.kind};
}

/// The limits that are left at `now_s` to jobs elsewhere, sorted. The queue there goes on too: a
/// job that has run `runs_s` (empty: it runs on) is followed by one like it.
std::vector<double> limits_elsewhere_s(const QueueModel& model, double now_s,
                                       const std::vector<double>& runs_s) {
  std::vector<double> left_s;
  for (std::size_t i = 0; i < model.elsewhere.size(); ++i) {
    const auto& job = model.elsewhere[i];
    const double run_s = runs_s.empty() ? never_s : runs_s[i];
    const double elapsed_s = job.elapsed_s + now_s;
    left_s.push_back(job.limit_s - (run_s > 0 ? std::fmod(elapsed_s, run_s) : elapsed_s));
  }
  std::ranges::sort(left_s);
  return left_s;
}

/// One draw: the queue goes on until `own` starts.
class Draw {
 public:
  Draw(const QueueModel& model, const ModelJob& own, const UseShares& shares,
       const ModelEffort& effort, Random& random)
      : model_(model), own_(own), run_times_(shares, random), effort_(effort), random_(random) {
    free_ = model.nodes;
    for (const auto& job : model.running) {
      const double run_s = run_times_.next_s(use_of(job), job.elapsed_s);
      start(job, job.nodes, run_s - job.elapsed_s, job.limit_s - job.elapsed_s);
    }
    for (const auto& job : model.elsewhere) {
      runs_elsewhere_s_.push_back(run_times_.next_s(use_of(job), job.elapsed_s));
    }
    const auto place = std::ranges::find_if(
        model.waiting, [&](const ModelJob& job) { return job.tier < own.tier; });
    for (auto job = model.waiting.begin(); job != model.waiting.end(); ++job) {
      if (job == place) {
        waiting_.push_back(&own);
      }
      waiting_.push_back(&*job);
    }
    if (place == model.waiting.end()) {
      waiting_.push_back(&own);
    }
  }

  double wait_s() {
    const double phase_s = model_.backfill_interval_s * random_.uniform();
    set_next_arrival();
    if (!can_ever_start()) {
      return never_s;
    }
    const auto most_events = 5000 + 10 * (running_.size() + waiting_.size());
    std::size_t events = 0;
    for (start_in_order(); !own_start_s_; start_in_order()) {
      if (++events > most_events) {
        return never_s;
      }
      // The backfill of the next tick sees what has changed until then.
      const double end_s = std::min(next_end_s(), next_arrival_s_);
      const double tick_s =
          phase_s +
          model_.backfill_interval_s * std::ceil((now_s_ - phase_s) / model_.backfill_interval_s);
      if (changed_ && tick_s <= end_s) {
        now_s_ = tick_s;
        changed_ = false;
        backfill();
        if (own_start_s_) {
          break;
        }
        continue;
      }
      if (std::isinf(end_s)) {
        return never_s;
      }
      now_s_ = end_s;
      end_jobs();
      if (next_arrival_s_ <= now_s_) {
        arrive();
      }
      changed_ = true;
    }
    return *own_start_s_;
  }

 private:
  void start(const ModelJob& job, const std::vector<std::size_t>& nodes, double run_s,
             double limit_s) {
    for (const auto node : nodes) {
      free_[node].add(job.each, -1);
    }
    running_.push_back(
        {&job, nodes, now_s_ + std::max(0.0, run_s), now_s_ + std::max(0.0, limit_s)});
  }

  void start_waiting(std::size_t place, const std::vector<std::size_t>& nodes) {
    const auto& job = *waiting_[place];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(place));
    if (&job == &own_) {
      own_start_s_ = now_s_;
      return;
    }
    start(job, nodes, run_times_.next_s(use_of(job), 0), job.limit_s);
  }

  /// Whether there is room when all jobs have ended that ever end.
  bool can_ever_start() const {
    auto room = model_.nodes;
    for (const auto& job : running_) {
      for (const auto node : std::isinf(job.end_s) ? job.nodes : std::vector<std::size_t>{}) {
        room[node].add(job.job->each, -1);
      }
    }
    const auto fits = [&](std::size_t node) { return own_.each.fits_in(room[node]); };
    return std::cmp_greater_equal(std::ranges::count_if(own_.nodes, fits), own_.count);
  }

  void set_next_arrival() {
    next_arrival_s_ = model_.arrivals_per_s > 0 && !model_.arrivals.empty()
                          ? now_s_ - std::log(1 - random_.uniform()) / model_.arrivals_per_s
                          : never_s;
  }

  /// A job like one of the latest, after all of its tier.
  void arrive() {
    const auto count = static_cast<double>(model_.arrivals.size());
    const auto& job = model_.arrivals[static_cast<std::size_t>(count * random_.uniform())];
    const auto place = std::ranges::find_if(
        waiting_, [&](const ModelJob* other) { return other->tier < job.tier; });
    const auto own = std::ranges::find(waiting_, &own_);
    // After the own job they only fill gaps, for which the first of them are enough.
    if (place <= own || std::cmp_less(waiting_.end() - own, effort_.planned)) {
      waiting_.insert(place, &job);
    }
    set_next_arrival();
  }

  double next_end_s() const {
    double next_s = never_s;
    for (const auto& job : running_) {
      next_s = std::min(next_s, job.end_s);
    }
    return next_s;
  }

  void end_jobs() {
    std::erase_if(running_, [&](const Started& job) {
      const bool ends = job.end_s <= now_s_;
      for (const auto node : ends ? job.nodes : std::vector<std::size_t>{}) {
        free_[node].add(job.job->each, 1);
      }
      return ends;
    });
  }

  /// What Slurm's main scheduler does: after a job without room, no later one gets nodes of its
  /// partition.
  void start_in_order() {
    std::vector<bool> closed(free_.size(), false);
    for (std::size_t i = 0; i < waiting_.size() && !own_start_s_;) {
      const auto& job = *waiting_[i];
      std::vector<std::size_t> nodes;
      for (const auto node : job.nodes) {
        if (nodes.size() < job.count && !closed[node] && job.each.fits_in(free_[node])) {
          nodes.push_back(node);
        }
      }
      if (nodes.size() == job.count) {
        start_waiting(i, nodes);
        continue;
      }
      for (const auto node : job.partition) {
        closed[node] = true;
      }
      ++i;
    }
  }

  void backfill() {
    BackfillPlan plan(model_, now_s_, limits_elsewhere_s(model_, now_s_, runs_elsewhere_s_));
    for (const auto& job : running_) {
      // A job at its limit is about to end; it holds its nodes until it has.
      plan.run(job.nodes, job.job->each, std::max(job.limit_end_s, now_s_ + 1));
    }
    std::size_t planned = 0;
    for (std::size_t i = 0; i < waiting_.size() && !own_start_s_;) {
      const auto& job = *waiting_[i];
      if (const auto nodes = plan.nodes_now(job); !nodes.empty()) {
        plan.run(nodes, job.each, now_s_ + job.limit_s);
        start_waiting(i, nodes);
        continue;
      }
      if (planned < effort_.planned) {
        if (const auto place = plan.start_of(job)) {
          plan.reserve(*place, job.limit_s);
          ++planned;
        }
      }
      ++i;
    }
  }

  const QueueModel& model_;
  const ModelJob& own_;
  RunTimes run_times_;
  const ModelEffort& effort_;
  Random& random_;
  double now_s_ = 0;
  double next_arrival_s_ = never_s;
  bool changed_ = true;
  std::vector<Resources> free_;
  std::vector<Started> running_;
  std::vector<double> runs_elsewhere_s_;
  std::vector<const ModelJob*> waiting_;
  std::optional<double> own_start_s_;
};

}  // namespace

ModelEffort effort_for(const QueueModel& model) {
  // Steps over the times of the nodes of a plan, at most; a second of a CPU has some 1e8.
  constexpr double budget = 2e8;
  constexpr ModelEffort most;
  constexpr double fewest_draws = 20;
  const auto jobs = static_cast<double>(model.running.size() + model.waiting.size() + 1);
  const auto nodes = static_cast<double>(model.nodes.size() + 1);
  const auto waiting = static_cast<double>(model.waiting.size() + 1);
  const auto per_draw = [&](std::size_t planned) {
    return jobs * jobs * nodes * std::min(waiting, static_cast<double>(planned));
  };
  ModelEffort effort = most;
  while (effort.planned > 1 && per_draw(effort.planned) * fewest_draws > budget) {
    effort.planned /= 2;
  }
  const double draws = budget / per_draw(effort.planned);
  constexpr double longest = 10;  // times the budget
  if (draws * longest < fewest_draws) {
    return {.draws = 0, .planned = 0, .scored = 0};
  }
  effort.draws =
      static_cast<std::size_t>(std::clamp(draws, fewest_draws, static_cast<double>(most.draws)));
  // A tenth of the most that a forecast may take, for all past waits together.
  effort.scored = static_cast<std::size_t>(
      std::min(static_cast<double>(most.scored), longest * draws / fewest_draws));
  return effort;
}

std::vector<double> wait_draws(const QueueModel& model, const ModelJob& job,
                               const UseShares& shares, const ModelEffort& effort,
                               std::uint64_t seed) {
  Random random(seed);
  std::vector<double> waits;
  for (std::size_t i = 0; i < effort.draws; ++i) {
    waits.push_back(Draw(model, job, shares, effort, random).wait_s());
  }
  return waits;
}

double gap_now_s(const QueueModel& model, const ModelJob& job, const ModelEffort& effort) {
  BackfillPlan plan(model, 0, limits_elsewhere_s(model, 0, {}));
  for (const auto& running : model.running) {
    plan.run(running.nodes, running.each, std::max(1.0, running.limit_s - running.elapsed_s));
  }
  std::size_t planned = 0;
  for (const auto& waiting : model.waiting) {
    if (planned == effort.planned || waiting.tier < job.tier) {
      break;
    }
    if (const auto place = plan.start_of(waiting)) {
      plan.reserve(*place, waiting.limit_s);
      ++planned;
    }
  }
  return plan.gap_s(job);
}

}  // namespace epochcast::queue
