// The settings of a service and of the load on it. Options of `epochcast-train serve` and of
// `epochcast-load`, keys `serve:` and `load:` of an experiment, parameters of the record and the
// arguments in the script follow from the tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "src/core/fields.hpp"
#include "src/core/quantity.hpp"

namespace epochcast::run {

/// How a service answers: `serve.*` of an experiment.
struct ServeOptions {
  std::int64_t batch = 32;
  Seconds batch_wait = {0.005};
  std::int64_t queue = 1024;
  Seconds cache_time = {60};
  std::int64_t cache_entries = 10000;
  std::string redis;
};

constexpr auto fields_of(Tag<ServeOptions>) {
  return std::tuple{
      Field{"batch", "inputs", "Most inputs of a micro-batch", &ServeOptions::batch, ">=1"},
      Field{"batch-wait", "s",
            "Longest time that an input waits for others before a micro-batch starts (0s: none)",
            &ServeOptions::batch_wait, ">=0"},
      Field{"queue", "inputs",
            "Most inputs that wait; further requests are refused with status 429",
            &ServeOptions::queue, ">=1"},
      Field{"cache-time", "s", "Time for which an answer is kept for the same request (0s: no cache)",
            &ServeOptions::cache_time, ">=0"},
      Field{"cache-entries", "1", "Most answers that are kept in memory",
            &ServeOptions::cache_entries, ">=1"},
      Field{"redis", "1", "Keep answers in the Redis at HOST:PORT (empty: in memory)",
            &ServeOptions::redis},
  };
}

/// How requests arrive: `load.*` of an experiment.
struct LoadOptions {
  std::string arrivals = "poisson";
  std::string stages = "10/s:30s";
  std::string mix = "study";
  std::int64_t texts = 1;
  double cached = 0.95;
  bool health = false;
  std::int64_t connections = 512;
  Seconds timeout = {30};
  Seconds threshold = {2};
  std::int64_t seed = 1;
};

constexpr auto fields_of(Tag<LoadOptions>) {
  return std::tuple{
      Field{"arrivals", "1",
            "When requests start: closed (each user sends the next when the last is answered), "
            "constant or poisson (at a rate, whatever the service does)",
            &LoadOptions::arrivals, "closed|constant|poisson"},
      Field{"stages", "1",
            "Stages, LOAD:TIME separated by commas; LOAD is a rate (10/s), a number of users (10), "
            "or a ramp (1-10). study, study_local: the published stages; study/60: in a 60th of "
            "their time",
            &LoadOptions::stages},
      Field{"mix", "1",
            "What is sent: study (3 fixed texts, or 10 in random order), or a file with one text a "
            "line, from which each request takes some at random",
            &LoadOptions::mix},
      Field{"texts", "1", "Texts of a request; of a file only", &LoadOptions::texts, ">=1"},
      Field{"cached", "1",
            "Share of requests that repeat the fixed texts: the 3 of the study, the first of a file",
            &LoadOptions::cached, "0..1"},
      Field{"health", "1", "Send GET /health before each request, as the study does",
            &LoadOptions::health},
      Field{"connections", "1",
            "Most connections; requests at a rate wait for one that is free, and this time counts",
            &LoadOptions::connections, ">=1"},
      Field{"timeout", "s", "A request without an answer after this time has failed",
            &LoadOptions::timeout, ">0"},
      Field{"threshold", "s", "p99 of the latency that the highest load must keep",
            &LoadOptions::threshold, ">0"},
      Field{"seed", "1", "Seed of the times and of the texts", &LoadOptions::seed},
  };
}

}  // namespace epochcast::run
