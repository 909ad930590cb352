// The journal of submissions, OUT/submissions.jsonl: what was meant before each sbatch, and what
// became of it.
//
// A line is on the disk before the step it announces is taken, so a crash leaves at worst an intent
// without an answer; whoever comes next asks the scheduler for its token. Lines are only ever
// added:
//   intent     {token, at, points, array}   sbatch is about to be called, with the token as
//   --comment submitted  {token, job}                 the controller took it dropped    {token,
//   reason}              refused, or proved never to have arrived released   {point, job} a dead
//   attempt gave its claim back; the point may be submitted again
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace epochcast::jobs {

/// One call of sbatch.
struct Submission {
  std::string token;
  std::string at;  ///< ISO 8601.
  std::vector<std::string> points;
  bool array = false;  ///< Point i is element i.
};

class Journal {
 public:
  /// Reads what is there; a last line cut off by a crash is dropped. Throws Error for damage
  /// anywhere else.
  explicit Journal(std::filesystem::path path);

  /// Intents that nothing is known of yet.
  const std::vector<Submission>& open() const { return open_; }
  /// The job that has a point now: "123", or "123_4" for an element of an array.
  const std::map<std::string, std::string>& jobs() const { return jobs_; }
  /// Every job there ever was, in the order of submission, without array elements.
  const std::vector<std::string>& all_jobs() const { return all_jobs_; }

  void intend(const Submission& submission);
  void submitted(const std::string& token, const std::string& job);
  void dropped(const std::string& token, const std::string& reason);
  void released(const std::string& point, const std::string& job);

 private:
  void take(const std::string& line);
  void append(const std::string& line);
  Submission close(const std::string& token);

  std::filesystem::path path_;
  std::vector<Submission> open_;
  std::map<std::string, std::string> jobs_;
  std::vector<std::string> all_jobs_;
};

}  // namespace epochcast::jobs
