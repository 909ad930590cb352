// Ranks of a run as threads of the test: they connect by TCP as processes do.
#pragma once

#include <unistd.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/training/ranks/failure.hpp"
#include "src/training/ranks/heartbeat.hpp"

namespace epochcast::ranks {

/// A port that nothing listens on.
inline std::int64_t unused_port() {
  for (std::int64_t port = 30000 + getpid() % 2000;; ++port) {
    try {
      listen_on({port}, "localhost");
      return port;
    } catch (const RunError&) {
    }
  }
}

inline attempt::RankPlace place_of(std::int64_t rank, std::int64_t size, std::int64_t port) {
  return {.rank = rank, .size = size, .rendezvous_host = "localhost", .rendezvous_port = port};
}

inline Member made_member(std::int64_t rank) {
  return {.rank = rank,
          .host = "node" + std::to_string(rank),
          .process = 100 + rank,
          .program = "epochcast 1",
          .configuration = {"model=mlp", "batch=8"}};
}

/// Of this process alone: ports follow from the secret, and other tests run at the same time.
inline Terms made_terms(double timeout_s = 60) {
  return {.secret = "what only they know " + std::to_string(getpid()), .timeout_s = timeout_s};
}

/// Runs `body(rank)` for each of `size` ranks at once. Returns what each threw, or "".
inline std::vector<std::string> run_ranks(std::int64_t size,
                                          const std::function<void(std::int64_t)>& body) {
  std::vector<std::string> texts(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (std::int64_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      auto& text = texts[static_cast<std::size_t>(rank)];
      try {
        body(rank);
      } catch (const ReportedByPeer& error) {
        text = std::string("reported by peer: ") + error.what();
      } catch (const Error& error) {
        text = error.what();
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  return texts;
}

}  // namespace epochcast::ranks
