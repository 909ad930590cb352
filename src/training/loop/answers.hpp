// The answers of an inference, in files that survive a kill, so that every item is answered once.
// Each rank of each attempt appends to its own file in the folder of the point:
//
//   answers/<record without .h5>.<rank>.csv   rows in the order of the answers; complete rows count
//   answers.csv                               all rows by item, with the origin of each item;
//                                             written when the run ends
//
// An attempt that resumes, on any number of ranks, answers the items that have no row yet. A text
// file that is only appended to survives a kill at any time (see src/record/json_lines.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/base/core/fields.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/run/parameter.hpp"

namespace epochcast::train {

/// The answer of a classifier for one item.
struct Answer {
  std::int64_t item = 0;
  std::int64_t answer = 0;  ///< -1: a logit was not finite.
  std::int64_t label = -1;
  double score = 0;
};
constexpr auto fields_of(Tag<Answer>) {
  return FieldTable{
      Field{"item", "1", "Position in the data set, from 0", &Answer::item},
      Field{"answer", "1", "Predicted class; empty: the network's output was not finite",
            &Answer::answer},
      Field{"label", "1", "True class; empty: not known", &Answer::label},
      Field{"score", "1", "Probability of the predicted class, 0 to 1; empty: not finite",
            &Answer::score},
  };
}

/// The class with the largest logit (there must be at least one; of equal ones the first) and its
/// softmax as score. If a logit is not finite, the answer is -1 and the score NaN.
Answer answer_of(std::int64_t item, std::span<const float> logits);

/// All answers so far.
struct Answered {
  std::vector<Answer> answers;  ///< Sorted by item, one per item.
  std::string record;           ///< File name of the record of the newest attempt; empty: none.
};

/// Reads the files of all attempts in `folder`, the folder of the point. A file is read up to its
/// first incomplete line. Throws Error if a file belongs to a run that has another value of a
/// parameter in `identity`.
[[nodiscard]] Answered read_answers(const std::filesystem::path& folder,
                                    const run::Parameters& identity);

/// Removes the answers of all attempts, so that a run that starts over does not mix them with its
/// own.
void remove_answers(const std::filesystem::path& folder);

/// The items from 0 to `count` - 1 without an answer, in ascending order.
std::vector<std::int64_t> unanswered(const std::vector<Answer>& answers, std::int64_t count);

/// Writes answers.csv through a temporary file that is synced and renamed. `origin` returns the
/// image file or the line of text of an item; "" if there is none. Throws RunError.
void write_answers(const std::filesystem::path& folder, const std::vector<Answer>& answers,
                   const std::function<std::string(std::int64_t item)>& origin);

/// The file of this rank and attempt.
class AnswerFile {
 public:
  /// Creates the file. `attempt`: the file name of its record without .h5. Throws RunError.
  AnswerFile(const std::filesystem::path& folder, const std::string& attempt, std::int64_t rank,
             const run::Parameters& identity);

  /// Appends answers. The file is written at most every 0.05 s: a kill loses only the answers of
  /// that time, and batches of a few microseconds are not slowed down.
  void add(std::span<const Answer> answers);
  /// Writes all added answers to the file.
  void flush();
  /// Writes all added answers and syncs the file to the disk.
  void sync();

  /// The number of added answers.
  std::int64_t count() const { return count_; }

 private:
  record::LineFile file_;
  std::string pending_;
  SteadyClock clock_;
  double written_at_s_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace epochcast::train
