// The answers of a stream and the progress of its sources, in one SQLite file. Both are written in
// one transaction, so a consumer that is killed at any time has answered a batch completely or not
// at all, and knows which.
//
// The file uses a rollback journal and full synchronization. SQLite's write-ahead log would be
// faster, but needs shared memory between the processes of one machine, and folders of a cluster
// are on NFS.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/core/file_lock.hpp"
#include "src/serving/stream/sink.hpp"
#include "src/serving/stream/sqlite.hpp"

namespace epochcast::stream {

/// Only one process uses a journal at a time. The second one is refused by a lock on PATH.lock;
/// where the file system has no such locks, the first one is refused at its next commit.
class Journal : public Sink {
 public:
  /// Opens or creates the file for a network with these classes. Waits at most `patience_s` for a
  /// process that still uses it. Throws Error if one does, if the file is no journal, or if it has
  /// the answers of a network with other classes.
  Journal(const std::string& path, const std::vector<std::string>& classes, double patience_s);

  std::string id() const override { return id_; }
  std::int64_t last_done(const std::string& source) const override;
  std::int64_t first_done(const std::string& source) const override;
  std::optional<std::uint64_t> content_of(const std::string& source,
                                          std::int64_t id) const override;
  std::int64_t batches_done() const override;
  void commit(const AnsweredBatch& batch) override;

 protected:
  /// The two parts of a commit, for a test that separates them.
  void in_transaction(const std::function<void()>& body);
  void write_answers(const AnsweredBatch& batch);
  void write_progress(const AnsweredBatch& batch);
  void note_done(const AnsweredBatch& batch);

 private:
  void create();
  void check_classes(const std::vector<std::string>& classes);
  void take_over();
  void check_owner();
  void read_progress();

  FileLock lock_;
  Database database_;
  std::string id_;
  std::int64_t generation_ = 0;
  mutable std::mutex mutex_;                                           ///< Of the two below.
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> done_;  ///< First and last id.
  std::int64_t batches_done_ = 0;
};

/// One answered item, as `epochcast-stream results` prints it.
struct ResultRow {
  std::int64_t sequence = 0;  ///< Number of the batch in the journal, from 1.
  std::string source;
  std::int64_t batch_id = 0;
  std::int64_t position = 0;  ///< Of the item in its batch, from 0.
  std::string chosen;         ///< Name of the class; empty: refused.
  double score = 0;
  std::int64_t label = -1;
  std::string refused;
};

/// The answers to the batches after number `after_sequence`, in the order in which they were
/// answered; also while a consumer runs. Throws Error if the file is no journal.
std::vector<ResultRow> read_results(const std::string& path, std::int64_t after_sequence = 0);

}  // namespace epochcast::stream
