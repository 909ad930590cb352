#include "src/runner/relay.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "src/base/core/signals.hpp"

namespace epochcast::runner {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{128} * 1024;

// A program that prints line after line would wake this thread for each, which takes the time of
// CPUs from the program. After a line that follows another within `dense_s` the thread therefore
// rests. A line by itself is passed on, and stamped, at once, also of a bar that is drawn ten times
// a second; so is output in bulk.
constexpr double dense_s = 0.025;
constexpr auto pause = std::chrono::milliseconds(20);
constexpr double bulk_bytes_per_s = 1e6;
constexpr double bulk_lasts_s = 0.05;

void raise_event(int descriptor) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(descriptor, &one, sizeof(one));
}

}  // namespace

Relay::Relay(const Source& source, const Clock& clock, Reader read, std::function<void()> refused)
    : source_(source),
      clock_(clock),
      read_(std::move(read)),
      refused_(std::move(refused)),
      end_(eventfd(0, EFD_CLOEXEC)),
      buffer_(std::make_unique<char[]>(buffer_bytes)) {
  const BlockedSignals blocked;
  thread_ = std::thread([this] { run(); });
}

Relay::~Relay() {
  raise_event(end_.number());
  thread_.join();
}

/// Passes on what is there, at most a full buffer. A pseudo-terminal gives 4 KiB a read.
Relay::Taken Relay::take() {
  Taken taken;
  ssize_t count = 0;
  while (taken.bytes < buffer_bytes && ((count = ::read(source_.from, buffer_.get() + taken.bytes,
                                                        buffer_bytes - taken.bytes)) > 0 ||
                                        (count < 0 && errno == EINTR))) {
    taken.bytes += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  taken.has_ended = count == 0 || (count < 0 && errno != EAGAIN);  // EIO: of a pseudo-terminal
  taken.is_all = count <= 0;
  if (taken.bytes > 0) {
    const double at_s = clock_.now_s();
    const std::string_view bytes(buffer_.get(), taken.bytes);
    if (!is_refused_ && !source_.to->pass_on(bytes)) {
      is_refused_ = true;
      refused_();
    }
    read_(source_.stream, bytes, at_s);
  }
  return taken;
}

void Relay::rest(std::size_t bytes) {
  const double now_s = clock_.now_s();
  const double since_s = now_s - std::exchange(rested_s_, now_s);
  if (static_cast<double>(bytes) >= bulk_bytes_per_s * since_s) {
    busy_until_s_ = now_s + bulk_lasts_s;
  }
  const bool is_dense = since_s < dense_s;
  if (is_dense && now_s >= busy_until_s_) {
    std::this_thread::sleep_for(pause);
  }
}

void Relay::run() {
  std::array<pollfd, 2> events{pollfd{source_.from, POLLIN, 0}, pollfd{end_.number(), POLLIN, 0}};
  while (true) {
    poll(events.data(), events.size(), -1);
    const Taken taken = take();
    if (taken.has_ended || (taken.is_all && events[1].revents != 0)) {
      return;
    }
    if (taken.is_all) {
      rest(taken.bytes);
    }
  }
}

KeyRelay::KeyRelay(int from, int to) : from_(from), to_(to), end_(eventfd(0, EFD_CLOEXEC)) {
  const BlockedSignals blocked;
  thread_ = std::thread([this] { run(); });
}

KeyRelay::~KeyRelay() {
  raise_event(end_.number());
  thread_.join();
}

void KeyRelay::run() {
  std::array<char, 1024> keys;
  std::size_t waiting = 0;
  while (true) {
    // keys wait in the outer terminal until the program's takes them
    std::array<pollfd, 3> events{pollfd{end_.number(), POLLIN, 0},
                                 pollfd{waiting == 0 ? from_ : -1, POLLIN, 0},
                                 pollfd{waiting == 0 ? -1 : to_, POLLOUT, 0}};
    poll(events.data(), events.size(), -1);
    if (events[0].revents != 0) {
      return;
    }
    if (events[1].revents != 0) {
      const auto count = ::read(from_, keys.data(), keys.size());
      if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) {
        return;
      }
      waiting = count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    if (events[2].revents != 0) {
      const auto count = write(to_, keys.data(), waiting);
      if (count < 0 && errno != EINTR && errno != EAGAIN) {
        return;
      }
      if (count > 0) {
        std::copy(keys.begin() + count, keys.begin() + std::ptrdiff_t(waiting), keys.begin());
        waiting -= static_cast<std::size_t>(count);
      }
    }
  }
}

}  // namespace epochcast::runner
