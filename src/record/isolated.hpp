// Reads records in a child process: HDF5 1.10 crashes on some damaged files (about 1 in 300 with
// random bits flipped), and one damaged record must not end a program that reads a thousand.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "src/base/core/descriptor.hpp"
#include "src/record/record.hpp"

namespace epochcast::record {

/// A child process that fills one record after another. It is started by the first call, when the
/// program is still small and a fork is cheap, and started again after a crash.
class IsolatedReader {
 public:
  /// Runs in the child. `request` is what the caller passed to `read`.
  using Fill = std::function<void(const std::string& request, Record& record)>;

  explicit IsolatedReader(Fill fill) : fill_(std::move(fill)) {}
  ~IsolatedReader();
  IsolatedReader(IsolatedReader&&) = delete;

  /// Calls `fill` on an empty record in the child and returns the filled record. If `fill` throws,
  /// throws an exception with the same text: Error for bad input, else h5::Failure. Also throws
  /// h5::Failure if the child crashes or needs more than a minute of CPU time, and RunError if no
  /// child can be started.
  Record read(const std::string& request);

 private:
  void start();
  void end();

  Fill fill_;
  pid_t child_ = -1;
  Descriptor socket_{-1};
};

}  // namespace epochcast::record
