#include "jobs/campaign/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/scheduler/local.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/descriptor.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {

using nlohmann::json;

std::string job_name_of(const Submission& submission) {
  return submission.array || submission.is_pack() ? submission.token : submission.points.front();
}

namespace {

bool is_job_of(const Submission& submission, const slurm::Job& job) {
  constexpr double clock_skew_s = 120;
  if (submission.points.empty() || job.comment == submission.token) {
    return true;
  }
  const bool same_name = job.job_name.empty() || job.job_name == job_name_of(submission);
  if (job.exit_code.empty()) {  // of the queue: its comment is the token, unless it was changed
    return same_name && !job.comment.starts_with(token_prefix);
  }
  const auto intended_s = seconds_since_1970(submission.at).value_or(0);
  return job.submitted_at_s == 0 || (same_name && job.submitted_at_s + clock_skew_s >= intended_s);
}

}  // namespace

bool is_known_job(const Journal& journal, const slurm::Job& job) {
  const auto number = job.name.substr(0, job.name.find_first_of("_+"));
  const auto submission = journal.submissions().find(number);
  return submission == journal.submissions().end() || is_job_of(submission->second, job);
}

Journal::Journal(std::filesystem::path path) : path_(std::move(path)) {
  if (!is_there(path_)) {
    return;
  }
  const auto text = read_file(path_, most_campaign_mib);
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try {
      if (!lines[i].empty()) {
        take(json::parse(lines[i]));
      }
    } catch (const json::exception& error) {
      // Only the last line of a crashed process can be cut off; later ones start on a new line.
      if (!lines[i].starts_with('{') || lines[i].ends_with('}')) {
        throw Error(path_.string(), static_cast<int>(i) + 1,
                    fmt::format("is not a line of the journal: {}", error.what()));
      }
    }
  }
}

std::size_t Journal::points_of(const std::string& job) const {
  const auto found = submissions_.find(job);
  return found != submissions_.end() && found->second.is_pack() ? found->second.points.size() : 1;
}

void Journal::take(const json& event) {
  const std::string kind = event.at("event");
  const auto point = [&] { return event.at("point").get<std::string>(); };
  const auto job = [&] { return event.at("job").get<std::string>(); };
  if (kind == "intent") {
    open_.push_back({event.at("token"), event.at("at"), event.at("points"), event.at("array"),
                     event.value("memory", ""), event.value("exclude", "")});
  } else if (kind == "submitted") {
    const auto number = job();
    const auto submission = close(event.at("token"));
    for (std::size_t i = 0; i < submission.points.size(); ++i) {
      of_point_[submission.points[i]].push_back(number);
      cancelled_.erase(submission.points[i]);
      jobs_[submission.points[i]] = submission.array ? fmt::format("{}_{}", number, i) : number;
    }
    if (!is_local_job(number)) {
      all_jobs_.push_back(number);
    }
    submissions_[number] = submission;
    notices_.clear();
  } else if (kind == "dropped") {
    close(event.at("token"));
  } else if (kind == "wanted") {
    wanted_.insert(event.at("points").begin(), event.at("points").end());
    notices_.clear();
  } else if (kind == "cancelled") {
    cancelled_.insert(event.at("points").begin(), event.at("points").end());
    for (const auto& name : event.contains("job") ? event.at("points") : json::array()) {
      in_jobs_[{name.get<std::string>(), job()}].is_cancelled_alone = true;
    }
  } else if (kind == "kept") {
    for (const auto& name : event.at("points")) {
      cancelled_.erase(name.get<std::string>());
    }
  } else if (kind == "ending") {
    ending_.push_back(job());
  } else if (kind == "notify") {
    auto& notice = notices_[event.at("way")];
    ++notice.tries;
    notice.is_open = true;
  } else if (kind == "notified") {
    auto& notice = notices_[event.at("way")];
    notice.is_open = false;
    notice.problem = event.at("problem");
  } else if (kind == "released") {
    jobs_.erase(point());
    in_jobs_[{point(), job()}].is_released = true;
  } else if (kind == "left") {
    if (const auto now = jobs_.find(point()); now != jobs_.end() && now->second == job()) {
      jobs_.erase(now);
    }
    in_jobs_[{point(), job()}].is_released = true;
  } else if (kind == "ended") {
    in_jobs_[{point(), job()}].end =
        EndInPack{event.at("status").get<int>(), event.value("out_of_memory", false)};
  }
}

Submission Journal::close(const std::string& token) {
  const auto found = std::find_if(open_.begin(), open_.end(),
                                  [&](const Submission& s) { return s.token == token; });
  if (found == open_.end()) {
    return {};
  }
  auto submission = std::move(*found);
  open_.erase(found);
  return submission;
}

namespace {

/// On NFS, two nodes that append at the same time overwrite each other. Where the file system has
/// no locks, or somebody who may only read keeps this one, the line is written all the same.
void lock_for_a_line(int file) {
  constexpr int tries = 500;
  constexpr useconds_t pause_us = 10'000;
  for (int i = 0; file >= 0 && i < tries && flock(file, LOCK_EX | LOCK_NB) != 0 &&
                  (errno == EWOULDBLOCK || errno == EINTR);
       ++i) {
    usleep(pause_us);
  }
}

}  // namespace

void Journal::append(const std::string& line) {
  const Descriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  lock_for_a_line(file.number());
  char last = 0;
  const auto end = lseek(file.number(), 0, SEEK_END);
  const bool has_end = end <= 0 || pread(file.number(), &last, 1, end - 1) != 1 || last == '\n';
  const auto text = (has_end ? "" : "\n") + line + "\n";
  if (const auto written = write(file.number(), text.data(), text.size());
      written != static_cast<ssize_t>(text.size()) || fsync(file.number()) != 0) {
    throw RunError(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
  }
  take(json::parse(line));
}

PointInJob Journal::in_job(const std::string& point, const std::string& job) const {
  const auto found = in_jobs_.find({point, job});
  return found == in_jobs_.end() ? PointInJob{} : found->second;
}

const Submission* Journal::last(const std::string& point) const {
  const auto jobs = of_point_.find(point);
  return jobs == of_point_.end() ? nullptr : &submissions_.at(jobs->second.back());
}

std::size_t Journal::count(const std::string& point) const {
  const auto jobs = of_point_.find(point);
  return jobs == of_point_.end() ? 0 : jobs->second.size();
}

void Journal::want(const std::vector<std::string>& points) {
  append(json{{"event", "wanted"}, {"points", points}, {"at", iso8601()}}.dump());
}

void Journal::cancelled(const std::vector<std::string>& points, const std::string& alone_in_job) {
  json cancelled{{"event", "cancelled"}, {"points", points}, {"at", iso8601()}};
  if (!alone_in_job.empty()) {
    cancelled["job"] = alone_in_job;
  }
  append(cancelled.dump());
}

void Journal::kept(const std::vector<std::string>& points) {
  append(json{{"event", "kept"}, {"points", points}, {"at", iso8601()}}.dump());
}

void Journal::end(const std::string& job) {
  append(json{{"event", "ending"}, {"job", job}, {"at", iso8601()}}.dump());
}

void Journal::notify(const std::string& way) {
  append(json{{"event", "notify"}, {"way", way}, {"at", iso8601()}}.dump());
}

void Journal::notified(const std::string& way, const std::string& problem) {
  const json line{{"event", "notified"}, {"way", way}, {"problem", problem}, {"at", iso8601()}};
  append(line.dump(-1, ' ', false, json::error_handler_t::replace));
}

void Journal::intend(const Submission& submission) {
  json intent{{"event", "intent"},
              {"token", submission.token},
              {"at", submission.at},
              {"points", submission.points},
              {"array", submission.array}};
  if (!submission.memory.empty()) {
    intent["memory"] = submission.memory;
  }
  if (!submission.exclude.empty()) {
    intent["exclude"] = submission.exclude;
  }
  append(intent.dump());
}

void Journal::submitted(const std::string& token, const std::string& job) {
  append(json{{"event", "submitted"}, {"token", token}, {"job", job}, {"at", iso8601()}}.dump());
}

void Journal::dropped(const std::string& token, const std::string& reason) {
  append(
      json{{"event", "dropped"}, {"token", token}, {"reason", reason}, {"at", iso8601()}}.dump());
}

void Journal::released(const std::string& point, const std::string& job,
                       const std::string& reason) {
  json released{{"event", "released"}, {"point", point}, {"job", job}, {"at", iso8601()}};
  if (!reason.empty()) {
    released["reason"] = reason;
  }
  append(released.dump());
}

}  // namespace epochcast::jobs
