// The formats that an output may be of, until it is known which it is.
#pragma once

#include <string>
#include <vector>

#include "src/measure/progress/recognizer/candidate.hpp"

namespace epochcast::progress {

class Candidates {
 public:
  /// RecognizerOptions. Throws Error, as Recognizer does.
  Candidates(const std::string& format, const std::string& pattern);

  /// No format is asked for.
  bool empty() const { return all_.empty(); }
  /// What a line that tells anything contains; empty: it may be any line.
  std::vector<std::string> hints() const;
  bool wants_every_line() const;
  void begin_anywhere();
  void begin_within();

  void hear(const Restart& restart);
  /// Whether the line tells something about the progress.
  bool read(const Line& line);
  void finish();

  /// nullptr: it is not known yet.
  const Candidate* chosen() const { return chosen_; }
  /// Of the chosen one; none until then.
  RowBuilder& rows() { return chosen_ != nullptr ? chosen_->rows() : no_rows_; }
  /// What lines disagree about, of the chosen one or of any. Empty: nothing.
  std::string conflict() const;

 private:
  /// The one confirmed format of the special ones; of the general ones, only while no special one
  /// has evidence, and none waits. Several may be: that which knows times, and has more evidence;
  /// what is understood at the end only may be of anything, and evidence comes first.
  void choose(bool at_end);
  void choose(Candidate& candidate);

  std::vector<Candidate> all_;
  Candidate* chosen_ = nullptr;
  RowBuilder no_rows_;
};

}  // namespace epochcast::progress
