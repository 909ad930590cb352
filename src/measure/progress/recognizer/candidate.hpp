// A format that the output may be of: what it has read so far, and how much speaks for it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "src/measure/progress/reading/format.hpp"
#include "src/measure/progress/rows/recount.hpp"
#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {

/// How much the lines of a format speak for it. A line counts (Reading::evidence) where it goes on
/// from the lines before it: another place (epoch, step) than theirs, no epoch before theirs, no
/// step beyond the total, the same number of epochs. A line that contradicts them takes all
/// evidence back.
class Evidence {
 public:
  void weigh(const Reading& reading);
  double sum() const { return sum_; }
  /// The last reading of the training.
  const std::optional<Reading>& last() const { return last_; }

 private:
  double sum_ = 0;
  std::optional<Reading> last_;
};

/// A format is confirmed at an evidence of 1; a general one (FormatSpec) needs a whole epoch as
/// well; at the end, one whose steps are all done and that is one of a stated number.
class Candidate {
 public:
  Candidate(std::string name, const FormatSpec& spec, const FormatOptions& options);

  /// Whether the line tells something about the progress, by itself.
  bool read(const Line& line);
  void hear(const Restart& restart);
  /// The output has ended: decides what waits for later lines, not what is still open.
  void finish();
  bool confirmed() const;
  double evidence() const { return evidence_.sum(); }
  double evidence_of_waiting() const { return parser_->evidence_of_waiting(); }
  bool wants_every_line() const { return parser_->wants_every_line(); }
  bool general() const { return spec_->general; }
  const std::string& name() const { return name_; }
  /// What disagrees, with the two lines; nothing after them is read. Empty: nothing.
  const std::string& conflict() const { return conflict_; }
  RowBuilder& rows() { return rows_; }
  const RowBuilder& rows() const { return rows_; }

 private:
  void apply(TimedReading found, std::string_view text);
  void apply_known(TimedReading known, std::string_view text);

  std::string name_;
  const FormatSpec* spec_;
  std::unique_ptr<LineParser> parser_;
  Recount recount_;
  RowBuilder rows_;
  Evidence evidence_;
  bool timed_ = true;
  bool ended_ = false;
  std::string last_text_;   ///< Of the last line of the training.
  double last_line_s_ = 0;  ///< Of any line.
  Restart heard_;
  std::string conflict_;
};

}  // namespace epochcast::progress
