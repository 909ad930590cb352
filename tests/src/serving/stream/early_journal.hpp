// A journal with the mistake that the real one must not make: it records the progress first, and
// the answers in a second transaction. The kill test must find what it loses.
#pragma once

#include <chrono>
#include <thread>

#include "src/serving/stream/journal.hpp"

namespace epochcast::stream {

class EarlyJournal final : public Journal {
 public:
  using Journal::Journal;

  void commit(const AnsweredBatch& batch) override {
    in_transaction([&] { write_progress(batch); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    in_transaction([&] { write_answers(batch); });
    note_done(batch);
  }
};

}  // namespace epochcast::stream
