// How the ranks of a run find each other: rank 0 listens, the others connect, both prove that they
// know the secret of the run, and all receive the list of members.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/measure/attempt/place.hpp"
#include "src/training/ranks/line_socket.hpp"

namespace epochcast::ranks {

/// What a rank reports about itself.
struct Member {
  std::int64_t rank = 0;
  std::string host;
  std::int64_t process = 0;
  /// Must be the same on all ranks: "epochcast 0.4.0 (3c4897f), LibTorch 2.11.0".
  std::string program;
  std::vector<std::string> configuration;  ///< "batch=8", ...; must be the same on all ranks.
  std::int64_t ranks = 0;                  ///< Ranks that the run started with; set by join_run().
};

/// "rank 2 on dgx-01 (process 4711)".
std::string to_text(const Member& member);

/// A connection to another rank.
struct Link {
  std::int64_t rank = 0;
  LineSocket socket;
};

struct Rendezvous {
  std::vector<Member> members;  ///< Sorted by rank.
  std::vector<Link> links;      ///< Rank 0: one to every other rank. Others: one to rank 0.
  std::string welcome;          ///< The text that rank 0 sent to all ranks.
  std::string address;          ///< The address at which the other ranks reach this host.
};

/// The signal that requested this process to stop; 0 if there was none.
using StopRequest = std::function<int()>;

/// What all ranks of a run know.
struct Terms {
  std::string secret;   ///< RunSecret. Also gives the ports, so that no other can take them first.
  std::string welcome;  ///< Only that of rank 0 is used.
  double timeout_s = 0;
};

/// Returns on every rank once all are connected. Throws on rank 0: Error if the program or
/// configuration of two ranks differs, RunError if a rank did not connect within the timeout or no
/// port is free. The other ranks then throw ReportedByPeer, or a RunError of their own at the
/// timeout.
///
/// A process that does not know the secret receives one random number and nothing else. It cannot
/// end the wait, or prolong it: it has little time, little memory, and the oldest of too many such
/// connections are closed.
///
/// A signal to stop may end a rank that is still starting, and then the others would wait for it
/// until the scheduler kills them. So rank 0 throws StoppedEarly if `stop` reports a signal before
/// all are connected, and so do the ranks that are connected to it, and a rank that cannot reach it
/// and was itself requested to stop.
Rendezvous join_run(
    const attempt::RankPlace& place, const Member& me, const Terms& terms,
    const StopRequest& stop = [] { return 0; });

}  // namespace epochcast::ranks
