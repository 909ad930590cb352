#include "src/measure/telemetry/sampler.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "src/base/core/clock.hpp"
#include "src/base/core/signals.hpp"
#include "src/measure/telemetry/process_usage.hpp"

namespace epochcast::telemetry {
namespace {

constexpr double longest_wait_s = 0.1;
constexpr double late_s = 0.25;  ///< Later than this, the precision of the timer is not the reason.
constexpr double idle_share = 0.1;  ///< A process that runs uses more of one CPU than this.

double waited_for_cpu_s() {
  return read_thread_times("/proc/thread-self").value_or(ThreadTimes()).waited_s;
}

}  // namespace

struct Sampler::Impl {
  Impl(const Sources& its_sources, double its_period_s, std::function<void(Sampler&)> its_sampled)
      : period_s(its_period_s),
        sampled(std::move(its_sampled)),
        reader(its_sources, clock.now_s()),
        sampled_at_s(clock.now_s()) {}

  void run(Sampler& self) {
    pthread_setname_np(pthread_self(), "telemetry");
    const double wait_s = std::min(period_s, longest_wait_s);
    double woke_s = clock.now_s();
    double process_cpu_s = cpu_clock_s(CLOCK_PROCESS_CPUTIME_ID);
    double waited_s = waited_for_cpu_s();
    std::unique_lock lock(mutex);
    while (!ends) {
      wake.wait_for(lock, std::chrono::duration<double>(wait_s), [&] { return ends; });
      const double now_s = clock.now_s();
      const double now_waited_s = waited_for_cpu_s();
      const double gap_s = now_s - woke_s;
      // On a busy machine a thread that could run may wait for seconds: that is no stop.
      const double waiting_s = now_waited_s - std::exchange(waited_s, now_waited_s);
      woke_s = clock.now_s();  // after the file: a wait meanwhile is in no gap
      const double used_s = cpu_clock_s(CLOCK_PROCESS_CPUTIME_ID) - process_cpu_s;
      process_cpu_s += used_s;
      if (gap_s - waiting_s > wait_s + late_s && used_s < idle_share * gap_s) {
        stopped_s += gap_s - wait_s;
      }
      if (!ends && now_s >= sampled_at_s + period_s - wait_s / 2) {
        sample(now_s);
        if (sampled) {
          lock.unlock();
          sampled(self);
          lock.lock();
        }
      }
    }
  }

  /// With the mutex locked.
  void sample(double now_s) {
    const double start_cpu_s = cpu_clock_s(CLOCK_THREAD_CPUTIME_ID);
    auto sample = reader.read(now_s);
    auto& row = sample.machine;
    row.stopped_s = std::min(row.duration_s, std::max(row.stopped_s, std::exchange(stopped_s, 0)));
    sampled_at_s = now_s;
    row.sampler_cpu_s = cpu_clock_s(CLOCK_THREAD_CPUTIME_ID) - start_cpu_s;
    samples.push_back(std::move(sample));
  }

  SteadyClock clock;
  double period_s;
  std::function<void(Sampler&)> sampled;
  std::mutex mutex;
  std::condition_variable wake;
  bool ends = false;
  CounterReader reader;
  double sampled_at_s;
  double stopped_s = 0;  ///< Since the last sample.
  std::vector<Sample> samples;
  std::thread thread;
};

Sampler::Sampler(const Sources& sources, double period_s, std::function<void(Sampler&)> sampled)
    : impl_(std::make_unique<Impl>(sources, period_s, std::move(sampled))) {
  const BlockedSignals blocked;
  impl_->thread = std::thread([impl = impl_.get(), this] { impl->run(*this); });
}

Sampler::~Sampler() {
  stop();
}

void Sampler::stop() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->ends = true;
  }
  impl_->wake.notify_all();
  if (impl_->thread.joinable()) {
    impl_->thread.join();
  }
}

void Sampler::sample_now(double least_age_s) {
  const std::lock_guard lock(impl_->mutex);
  const double now_s = impl_->clock.now_s();
  if (now_s - impl_->sampled_at_s >= least_age_s && now_s > impl_->sampled_at_s) {
    impl_->sample(now_s);
  }
}

std::vector<Sample> Sampler::take() {
  const std::lock_guard lock(impl_->mutex);
  return std::exchange(impl_->samples, {});
}

}  // namespace epochcast::telemetry
