// The settings of a service and of the load on it. Options of `epochcast-train serve` and of
// `epochcast-load`, keys `serve:` and `load:` of an experiment, parameters of the record and the
// arguments in the script follow from the tables. Names have underscores, as all keys of an
// experiment; cli::options_of_fields makes hyphens of them.
#pragma once

#include <cstdint>
#include <string>

#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"

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
  return FieldTable{
      Field{"batch", "inputs", "Most inputs of a micro-batch", &ServeOptions::batch, ">=1"},
      Field{"batch_wait", "s",
            "Longest time that an input waits for others before a micro-batch starts (0s: none)",
            &ServeOptions::batch_wait, ">=0"},
      Field{"queue", "inputs",
            "Most inputs that wait; further requests are refused with status 429",
            &ServeOptions::queue, ">=1"},
      Field{"cache_time", "s",
            "Time for which an answer is kept for the same request (0s: no cache)",
            &ServeOptions::cache_time, ">=0"},
      Field{"cache_entries", "1", "Most answers that are kept in memory",
            &ServeOptions::cache_entries, ">=1"},
      Field{"redis", "1", "Keep answers in the Redis at HOST:PORT (empty: in memory)",
            &ServeOptions::redis},
  };
}

/// Where a service listens, and what it accepts: options of the command line, no keys of an
/// experiment (its script chooses the address).
struct ListenOptions {
  std::string host = "127.0.0.1";
  std::int64_t port = 8000;
  std::string address_file;
  std::string token_file;
  std::int64_t http_threads = 2;
  std::int64_t max_connections = 512;
  std::int64_t max_items = 128;
  Bytes max_text = {std::int64_t(64) << 10};
  Bytes max_body = {std::int64_t(4) << 20};
  Bytes max_header = {std::int64_t(16) << 10};
  Seconds receive_time = {10};
  Seconds send_time = {10};
  Seconds idle_time = {75};
  Seconds drain_time = {30};
};

constexpr auto fields_of(Tag<ListenOptions>) {
  return FieldTable{
      Field{"host", "1", "Name or address to listen on; 0.0.0.0: all of this machine",
            &ListenOptions::host},
      Field{"port", "1", "Port to listen on (0: any free one)", &ListenOptions::port, "0..65535"},
      Field{"address_file", "1", "Write http://HOST:PORT to this file once the service is ready",
            &ListenOptions::address_file, "path"},
      Field{"token_file", "1",
            "Answer only requests with 'Authorization: Bearer TOKEN', where this file holds TOKEN; "
            "the variable EPOCHCAST_TOKEN may hold it instead",
            &ListenOptions::token_file, "path"},
      Field{"http_threads", "1", "Threads that receive, prepare and answer requests",
            &ListenOptions::http_threads, "1..64"},
      Field{"max_connections", "1", "Most open connections; one more is answered 503",
            &ListenOptions::max_connections, "1..100000"},
      Field{"max_items", "1", "Most texts or pictures of a request", &ListenOptions::max_items,
            ">=1"},
      Field{"max_text", "bytes", "Longest text", &ListenOptions::max_text, ">=1"},
      Field{"max_body", "bytes", "Largest body of a request", &ListenOptions::max_body, ">=1"},
      Field{"max_header", "bytes", "Largest header of a request", &ListenOptions::max_header,
            "256..1048576"},
      Field{"receive_time", "s", "A client that takes longer to send a request is cut off",
            &ListenOptions::receive_time, ">0"},
      Field{"send_time", "s", "A client that takes longer to receive an answer is cut off",
            &ListenOptions::send_time, ">0"},
      Field{"idle_time", "s", "A connection without a request is closed after this time",
            &ListenOptions::idle_time, ">0"},
      Field{"drain_time", "s",
            "Longest time that a service that is to stop still answers what it has received",
            &ListenOptions::drain_time, ">=0"},
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
  std::int64_t connections = 500;  ///< One service bears 512 unless told otherwise.
  Seconds timeout = {30};
  Seconds threshold = {2};
  std::int64_t seed = 1;
};

constexpr auto fields_of(Tag<LoadOptions>) {
  return FieldTable{
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
            "What is sent: study (3 fixed texts, or 10 in random order), a file with one text a "
            "line, or a folder of PNG and JPEG pictures, from which each request takes some at "
            "random",
            &LoadOptions::mix},
      Field{"texts", "1", "Texts or pictures of a request; of a file or folder only",
            &LoadOptions::texts, ">=1"},
      Field{"cached", "1",
            "Share of requests that repeat the fixed texts: the 3 of the study, the first of a "
            "file or "
            "folder",
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
