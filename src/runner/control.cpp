#include "src/runner/control.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>

#include "src/base/core/error.hpp"
#include "src/base/core/signals.hpp"
#include "src/runner/limit.hpp"
#include "src/runner/relay.hpp"

namespace epochcast::runner {
namespace {

using Kind = process::KeeperReport::Kind;

/// Whether the program has ended by a signal to stop, or says so as a shell does: 128 + signal.
bool was_stopped(int state) {
  const int status = process::exit_status_of(state);
  return status > 128 && asks_to_stop(status - 128);
}

}  // namespace

bool asks_to_stop(int signal) {
  return signal == SIGUSR1 || signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
         signal == SIGQUIT;
}

int late_signal(const process::HeldSignals& signals) {
  constexpr int between_ms = 1000;
  int found = 0;
  if (pollfd own{signals.descriptor(), POLLIN, 0}; poll(&own, 1, between_ms) > 0) {
    while (const auto signal = signals.take()) {
      found = asks_to_stop(signal->number) ? signal->number : found;
    }
  }
  return found;
}

Control::Control(const Parts& parts) : parts_(parts) {}
Control::~Control() = default;

CommandEnd Control::run() {
  take_keys();  // before the program can ask for one
  start();
  std::array<pollfd, 2> events{pollfd{parts_.keeper.descriptor(), POLLIN, 0},
                               pollfd{parts_.signals.descriptor(), POLLIN, 0}};
  while (!all_ended_) {
    poll(events.data(), events.size(), -1);
    while (const auto signal = parts_.signals.take()) {
      pass_on(*signal);
    }
    if (events[0].revents != 0) {
      receive();
    }
  }
  keys_.reset();
  parts_.outer.restore();
  if (end_.passed_on == 0 && was_stopped(end_.state)) {
    end_.passed_on = late_signal(parts_.signals);
  }
  return end_;
}

void Control::start() {
  parts_.keeper.start();
  const auto report = parts_.keeper.report();
  if (report.kind == Kind::not_started) {
    throw Error(process::Spawned{.error = report.value}.error_text(parts_.program));
  }
  if (report.kind != Kind::started) {
    throw RunError(parts_.program + ": the process that watches it was killed");
  }
}

void Control::receive() {
  const auto report = parts_.keeper.report();
  if (report.kind == Kind::ended) {
    end_.state = report.value;
  } else if (report.kind == Kind::all_ended) {
    all_ended_ = true;
  } else if (report.kind == Kind::stopped && keys_) {
    stop_with_program();
  }
}

void Control::pass_on(const process::HeldSignal& signal) {
  if (signal.number == SIGWINCH) {
    parts_.streams.take_window_size();
    return;
  }
  if (signal.number == SIGCONT) {
    take_keys();
    return;
  }
  if (signal.number == SIGUSR1 && parts_.limit.signal() != 0) {
    save_by_own_signal();
    return;
  }
  end_.passed_on = signal.number;
  if (asks_to_stop(signal.number)) {
    parts_.stop.create({signal_name(signal.number)});
  }
  if (!signal.from_kernel) {
    parts_.keeper.signal(signal.number);
  } else if (parts_.streams.plan().any_terminal()) {
    parts_.keeper.signal_group(signal.number);
  }  // else the terminal has signalled the program too
}

/// The signal by which the program saves takes the place of USR1, which it may not know, and is
/// sent once.
void Control::save_by_own_signal() {
  if (parts_.limit.take()) {
    end_.passed_on = parts_.limit.signal();
    parts_.stop.create({signal_name(end_.passed_on)});
    parts_.keeper.signal(end_.passed_on);
  }
}

/// ctrl-Z has stopped the program: the shell must see this process stopped.
void Control::stop_with_program() {
  keys_.reset();
  parts_.outer.restore();
  kill(getpid(), SIGSTOP);
  take_keys();
  parts_.keeper.signal_group(SIGCONT);
}

void Control::take_keys() {
  if (!keys_ && parts_.streams.plan().in_is_terminal && parts_.outer.pass_keys_on()) {
    parts_.streams.take_window_size();
    keys_ = std::make_unique<KeyRelay>(STDIN_FILENO, parts_.streams.terminal());
  }
}

}  // namespace epochcast::runner
