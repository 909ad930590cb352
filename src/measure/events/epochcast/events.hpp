// For C++ programs that epochcast-run runs: tells it where the training is, and asks whether the
// time limit is near. One header, C++17, no library.
//
//   #include <epochcast/events.hpp>
//
//   epochcast::events::Training training(epochs);
//   for (int epoch = 0; epoch < epochs; ++epoch) {
//     training.epoch_begin(epoch);
//     for (...) {
//       ...
//       training.metric("loss", loss);
//       training.step();
//       if (training.should_stop()) return save();
//     }
//     training.epoch_end();
//     if (training.should_stop()) return save();  // the next epoch would not end in time
//   }
//   training.end();
//
// Without the variable EPOCHCAST_EVENTS, which epochcast-run sets, nothing is written; of several
// ranks, only rank 0 writes. No function throws or blocks: where the file cannot be written, one
// line on standard error says so. Not thread-safe.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epochcast::events {

namespace detail {

inline std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

inline std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The rank of this process, -1 where nothing says so. RANK (torchrun) knows best; of the rest, the
/// largest counts, because a child inherits what its parent was.
inline long rank() {
  const auto number = [](const char* name) {
    const auto text = variable(name);
    char* end = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    return text.empty() || *end != '\0' ? -1 : value;
  };
  if (number("RANK") >= 0) {
    return number("RANK");
  }
  return std::max({number("SLURM_PROCID"), number("OMPI_COMM_WORLD_RANK"), number("PMI_RANK"),
                   number("LOCAL_RANK"), -1L});
}

/// As a JSON text; bytes that are not ASCII stand as they are.
inline std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      char code[7];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
      result += code;
    } else {
      result += letter;
    }
  }
  return result + '"';
}

/// As a JSON number; NaN and infinities, which JSON lacks, as texts.
inline std::string number(double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  std::string result = text;
  std::replace(result.begin(), result.end(), ',', '.');  // of the user's locale
  return result;
}

inline volatile std::sig_atomic_t stop_requested = 0;
inline struct sigaction former_action {};

inline void handle_stop(int signal, siginfo_t* info, void* context) {
  stop_requested = 1;
  if ((former_action.sa_flags & SA_SIGINFO) != 0) {
    if (former_action.sa_sigaction != nullptr) {
      former_action.sa_sigaction(signal, info, context);
    }
  } else if (former_action.sa_handler != SIG_DFL && former_action.sa_handler != SIG_IGN) {
    former_action.sa_handler(signal);
  }
}

/// From here on SIGUSR1, which would end the process, is noted; a handler that is there is called
/// as well.
inline void handle_signal() {
  static bool done = false;
  if (!std::exchange(done, true)) {
    struct sigaction action {};
    action.sa_sigaction = handle_stop;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, nullptr, &former_action);
    sigaction(SIGUSR1, &action, nullptr);
  }
}

}  // namespace detail

/// One training of this process.
class Training {
 public:
  /// `epochs`: how many there are to be; 0: not known.
  explicit Training(std::int64_t epochs = 0)
      : path_(detail::variable("EPOCHCAST_EVENTS")),
        stop_file_(detail::variable("EPOCHCAST_STOP_FILE")),
        rank_(detail::rank()),
        pid_(getpid()) {
    watched_ = !path_.empty() || !stop_file_.empty();
    if (path_.empty() || rank_ > 0) {
      return;
    }
    // Not blocking: a pipe that nobody reads must not stop the training.
    file_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file_ < 0) {
      warn();
      return;
    }
    write("train_begin", epochs > 0 ? field("epochs", epochs) : "", detail::now_ns());
  }
  ~Training() {
    if (file_ >= 0) {
      close(file_);
    }
  }
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  /// Epoch `epoch` begins; the first one is 0. `steps`: how many it has; 0: not known.
  void epoch_begin(std::int64_t epoch, std::int64_t steps = 0) {
    epoch_ = epoch;
    steps_ = steps;
    step_ = 0;
    between_epochs_ = false;
    event("epoch_begin", steps > 0 ? field("steps", steps) : "");
  }

  /// One more step is done. At most ten a second are written.
  void step() {
    ++step_;
    if (file_ < 0) {
      return;
    }
    const auto now_ns = detail::now_ns();
    if (now_ns >= next_step_ns_) {
      write("step",
            field("epoch", epoch_) + field("step", step_) +
                (steps_ > 0 ? field("steps", steps_) : ""),
            now_ns);
    }
  }

  /// A value for the next line that is written; of several of a name the last one counts.
  void metric(std::string_view name, double value) {
    if (file_ < 0) {
      return;
    }
    for (auto& [known, last] : metrics_) {
      if (known == name) {
        last = value;
        return;
      }
    }
    if (metrics_.size() < most_metrics) {
      metrics_.emplace_back(name, value);
    }
  }

  /// The epoch has ended. `samples`: how many it had; 0: not known.
  void epoch_end(std::int64_t samples = 0) {
    between_epochs_ = true;
    event("epoch_end",
          (step_ > 0 ? field("step", step_) : "") + (samples > 0 ? field("samples", samples) : ""));
  }

  /// Around an evaluation, within an epoch or after it.
  void evaluate_begin() { event("evaluate_begin"); }
  void evaluate_end() { event("evaluate_end"); }

  /// All epochs are done.
  void end() { event("train_end"); }

  /// True once the signal before the job's time limit came, and between two epochs if the next one
  /// would not end in time (epochcast-run --near-limit=epoch): save the state and end. False in a
  /// program that epochcast-run did not start.
  bool should_stop() {
    if (!watched_ || detail::stop_requested != 0) {
      return detail::stop_requested != 0;
    }
    detail::handle_signal();
    const auto now_ns = detail::now_ns();
    const auto exists = [](const std::string& file) { return access(file.c_str(), F_OK) == 0; };
    if (!stop_file_.empty() && (between_epochs_ || now_ns >= next_look_ns_)) {
      next_look_ns_ = now_ns + look_interval_ns;
      if (exists(stop_file_) || (between_epochs_ && exists(stop_file_ + ".after_epoch"))) {
        detail::stop_requested = 1;
      }
    }
    return detail::stop_requested != 0;
  }

 private:
  static constexpr std::int64_t step_interval_ns = 100'000'000;
  static constexpr std::int64_t look_interval_ns = 500'000'000;  // a network's file takes time
  static constexpr std::size_t most_metrics = 256;

  static std::string field(const char* name, std::int64_t value) {
    return std::string(",\"") + name + "\":" + std::to_string(value);
  }

  void event(const char* name, const std::string& fields = "") {
    if (file_ >= 0) {
      write(name, (epoch_ >= 0 ? field("epoch", epoch_) : "") + fields, detail::now_ns());
    }
  }

  void write(const char* name, const std::string& fields, std::int64_t now_ns) {
    if (getpid() != pid_) {
      return;  // a child of fork(): a worker that loads data
    }
    auto line = std::string(cut_off_ ? "\n" : "") + R"({"event":")" + name + '"' + fields +
                field("time_ns", now_ns) + field("pid", pid_);
    line += rank_ >= 0 ? field("rank", rank_) : "";
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      line += i == 0 ? ",\"metrics\":{" : ",";
      line += detail::quoted(metrics_[i].first) + ':' + detail::number(metrics_[i].second);
    }
    line += metrics_.empty() ? "}\n" : "}}\n";
    metrics_.clear();
    next_step_ns_ = now_ns + step_interval_ns;
    const auto written = ::write(file_, line.data(), line.size());
    cut_off_ = written != static_cast<ssize_t>(line.size());
    if (cut_off_) {
      warn();
    }
  }

  void warn() {
    if (!std::exchange(warned_, true)) {
      std::fprintf(stderr, "epochcast: warning: %s: %s; events are missing in the record\n",
                   path_.c_str(), std::strerror(errno));
    }
  }

  std::string path_;
  std::string stop_file_;
  long rank_;
  pid_t pid_;
  bool watched_ = false;
  int file_ = -1;
  bool cut_off_ = false;  ///< The last line in the file may be half a line.
  bool warned_ = false;
  std::int64_t epoch_ = -1;
  bool between_epochs_ = false;
  std::int64_t steps_ = 0;
  std::int64_t step_ = 0;
  std::int64_t next_step_ns_ = 0;
  std::int64_t next_look_ns_ = 0;
  std::vector<std::pair<std::string, double>> metrics_;
};

}  // namespace epochcast::events
