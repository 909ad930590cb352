// How the ranks of a run find each other: rank 0 listens, the others call, all learn who is there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/ranks/line_socket.hpp"
#include "src/ranks/place.hpp"

namespace epochcast::ranks {

/// What a rank tells of itself.
struct Member {
  std::int64_t rank = 0;
  std::string host;
  std::int64_t process = 0;
  std::string job;  ///< Callers of another job are turned away.
  /// Must be the same on all ranks: "epochcast 0.4.0 (3c4897f), LibTorch 2.11.0".
  std::string program;
  std::vector<std::string> configuration;  ///< "batch=8", ...; must be the same on all ranks.
  std::int64_t ranks = 0;                  ///< Of the run, as it was started; meet() fills it in.
};

/// "rank 2 on dgx-01 (process 4711)".
std::string to_text(const Member& member);

/// A connection to another rank.
struct Link {
  std::int64_t rank = 0;
  LineSocket socket;
};

struct Rendezvous {
  std::vector<Member> members;  ///< By rank.
  std::vector<Link> links;      ///< On rank 0 one to every other rank, elsewhere the one to rank 0.
  std::string welcome;          ///< What rank 0 said to all.
  std::string address;          ///< Of this host, by which the others can reach it.
};

/// Returns on every rank once all are there. `welcome` counts on rank 0. Throws on rank 0, and
/// ReportedByPeer on the others. Error: program or configuration of two ranks differ; RunError: a
/// rank did not come within `timeout_s`. A port in use is rank 0's RunError too; the others then
/// wait in vain and throw one of their own.
Rendezvous meet(const RankPlace& place, const Member& me, const std::string& welcome,
                double timeout_s);

}  // namespace epochcast::ranks
