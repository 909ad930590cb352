// The journal of submissions, OUT/submissions.jsonl: the intent before each call of sbatch, and its
// result.
//
// A line is on disk before the step that it announces, so a crash leaves at most an intent without
// a result; the next call queries the scheduler for its token. Lines are only appended:
//   intent     {token, at, points, array}  sbatch will be called, with the token as --comment;
//              also memory, exclude: what the job asks for in place of its script
//   submitted  {token, job}                the controller accepted the job, or `run` begins it
//              ("local-...")
//   dropped    {token, reason}             the job was refused, or did not reach the controller
//   released   {point, job}                its claim was released; it may be submitted again; also
//              reason: the cause of the end, as in records, if retry: decided
//   left       {point, job}                the job, which runs several points, has not begun it
//   ended      {point, job, status}        its script has ended in such a job, which may go on;
//   also
//              out_of_memory: Slurm killed it for that
//   wanted     {points}                    submit (or run) was called for them: it, or a job that
//              ends later, submits what is left
//   cancelled  {points}                    somebody cancels their job; kept: Slurm refused that;
//   with
//              job: the point in that job, which goes on with others
//   ending     {job}                       its program has ended; it looks whether all have
//   notify     {way}                       the message of the end will be sent this way
//   notified   {way, problem}              that has ended; "": it was sent
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/slurm/queue.hpp"

namespace epochcast::jobs {

/// One call of sbatch.
struct Submission {
  std::string token;
  std::string at;  ///< ISO 8601.
  std::vector<std::string> points;
  bool array = false;  ///< Point i is element i.
  /// Per node, or of each point of a pack, in place of the script's; empty: the script's.
  std::string memory = {};
  std::string exclude = {};  ///< Nodes that it must not run on, with commas.

  /// Whether one job runs all the points.
  bool is_pack() const { return !array && points.size() > 1; }
};

/// How the script of a point ended in a job that runs several.
struct EndInPack {
  int status = 0;
  bool out_of_memory = false;
};

/// What the journal says of a point in one job, besides that it was submitted.
struct PointInJob {
  std::optional<EndInPack> end = {};  ///< Nothing if it has not ended, or is not one of several.
  bool is_cancelled_alone = false;    ///< By somebody; it may run on for a moment.
  bool is_released = false;           ///< The point may have another job.
};

/// The message of the end of a campaign, one way.
struct Notice {
  std::int64_t tries = 0;
  bool is_open = false;      ///< It is being sent, or its sender was killed: it may have arrived.
  std::string problem = {};  ///< Of the last try.

  /// Another try cannot make it arrive twice.
  bool is_due() const {
    constexpr std::int64_t most = 3;
    return !is_open && (tries == 0 || (tries < most && !problem.empty()));
  }
};

/// What every token begins with.
inline constexpr const char* token_prefix = "epochcast-";

/// The name of a submission's job: its point, or for several the token.
std::string job_name_of(const Submission& submission);

class Journal {
 public:
  /// Reads the journal; a last line cut off by a crash is dropped. Throws Error for other damage.
  explicit Journal(std::filesystem::path path);

  /// Intents without a result.
  const std::vector<Submission>& open() const { return open_; }
  /// Point -> its job now: "123", or "123_4" for an element of an array.
  const std::map<std::string, std::string>& jobs() const { return jobs_; }
  /// All jobs of the scheduler in the order of submission; an array counts as one.
  const std::vector<std::string>& all_jobs() const { return all_jobs_; }

  /// Number of a job -> its submission, the newest if there were several.
  const std::map<std::string, Submission>& submissions() const { return submissions_; }

  /// How many jobs a point has had.
  std::size_t count(const std::string& point) const;
  /// All points that were wanted.
  const std::set<std::string>& wanted() const { return wanted_; }

  /// Whether somebody cancelled the job that the point has now.
  bool is_cancelled(const std::string& point) const { return cancelled_.contains(point); }

  PointInJob in_job(const std::string& point, const std::string& job) const;

  /// The last submission of a point that got a job; nullptr: none did.
  const Submission* last(const std::string& point) const;
  /// Points of a job that runs several; 1 for other jobs.
  std::size_t points_of(const std::string& job) const;

  /// Whether anything was submitted or run at all.
  bool has_begun() const { return !wanted_.empty() || !all_jobs_.empty(); }
  /// By way, since anything was submitted or run the last time.
  const std::map<std::string, Notice>& notices() const { return notices_; }
  /// The jobs that were ending, in that order; one that was requeued comes again.
  const std::vector<std::string>& ending() const { return ending_; }

  void intend(const Submission& submission);
  void submitted(const std::string& token, const std::string& job);
  void dropped(const std::string& token, const std::string& reason);
  void released(const std::string& point, const std::string& job, const std::string& reason = "");
  void cancelled(const std::vector<std::string>& points, const std::string& alone_in_job = "");
  void kept(const std::vector<std::string>& points);
  void want(const std::vector<std::string>& points);
  void end(const std::string& job);
  void notify(const std::string& way);
  void notified(const std::string& way, const std::string& problem);

  /// Replays an event that is not in the file.
  void take(const nlohmann::json& event);

 private:
  void append(const std::string& line);
  Submission close(const std::string& token);

  std::filesystem::path path_;
  std::vector<Submission> open_;
  std::map<std::string, std::string> jobs_;
  std::vector<std::string> all_jobs_;
  std::map<std::string, Submission> submissions_;
  std::map<std::string, std::vector<std::string>> of_point_;  ///< The numbers of its jobs.
  std::set<std::string> wanted_;
  std::set<std::string> cancelled_;
  std::map<std::pair<std::string, std::string>, PointInJob> in_jobs_;
  std::map<std::string, Notice> notices_;
  std::vector<std::string> ending_;
};

/// Whether `job`, which has the number of a submission, is its job, by comment, name and time of
/// submission: Slurm counts from 1 again after its state was lost, and the accounting keeps the
/// jobs from before. True for a job that is not in the journal.
bool is_known_job(const Journal& journal, const slurm::Job& job);

}  // namespace epochcast::jobs
