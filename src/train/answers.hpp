// What an inference has answered, kept so that every item is answered once whatever becomes of the
// processes. Each rank of each attempt appends to a file of its own, in the point's folder:
//
//   answers/<record without .h5>.<rank>.csv   rows as they come; one counts once it is whole
//   answers.csv                               all of them by item, with where each comes from, once
//                                             the run has ended
//
// An attempt that goes on asks what no row of an earlier one answers, with any number of ranks.
// Text that is only appended to survives a kill at any instant (src/record/json_lines.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "src/core/clock.hpp"
#include "src/core/fields.hpp"
#include "src/record/json_lines.hpp"
#include "src/run/parameter.hpp"

namespace epochcast::train {

/// What a classifier says of one item.
struct Answer {
  std::int64_t item = 0;
  std::int64_t answer = 0;
  std::int64_t label = -1;
  double score = 0;
};
constexpr auto fields_of(Tag<Answer>) {
  return std::tuple{
      Field{"item", "1", "Position in the data set, from 0", &Answer::item},
      Field{"answer", "1", "Class it was taken for", &Answer::answer},
      Field{"label", "1", "Class it is of; empty: not known", &Answer::label},
      Field{"score", "1", "Its probability by the network, 0 to 1; empty: no number",
            &Answer::score},
  };
}

/// The answer that the classes' logits (at least one) make: the largest, of equal ones the first;
/// its score is its softmax.
Answer answer_of(std::int64_t item, std::span<const float> logits);

/// All that has been answered so far.
struct Answered {
  std::vector<Answer> answers;  ///< By item, each once.
  std::string record;  ///< File name of the newest record of those attempts; empty: there is none.
};

/// Reads the files of all attempts in `folder`, which is the point's. A file counts up to its first
/// line that is torn. Throws Error where they are of a run whose parameters differ in one of
/// `asked`.
Answered read_answers(const std::filesystem::path& folder, const run::Parameters& asked);

/// Removes the answers of all attempts: one that begins anew must not be mixed with them.
void forget_answers(const std::filesystem::path& folder);

/// The items from 0 to below `count` that nobody has answered, rising.
std::vector<std::int64_t> unanswered(const std::vector<Answer>& answers, std::int64_t count);

/// Writes answers.csv: beside it, synced, then renamed. `origin`: where an item comes from, the
/// file of a picture or the line of a text; "": nowhere. Throws RunError.
void write_answers(const std::filesystem::path& folder, const std::vector<Answer>& answers,
                   const std::function<std::string(std::int64_t item)>& origin);

/// The file of this rank and attempt.
class AnswerFile {
 public:
  /// Makes it. `attempt`: the file name of its record without .h5. Throws RunError.
  AnswerFile(const std::filesystem::path& folder, const std::string& attempt, std::int64_t rank,
             const run::Parameters& asked);

  /// Appends, to the file once a twentieth of a second has gone by since the last write: a kill
  /// costs no more answers than that, and a batch that takes a few microseconds is not slowed down.
  void add(std::span<const Answer> answers);
  /// All that was added is in the file.
  void flush();
  /// And on the disk.
  void sync();

  /// How many were added.
  std::int64_t count() const { return count_; }

 private:
  record::LineFile file_;
  std::string pending_;
  SteadyClock clock_;
  double written_at_s_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace epochcast::train
