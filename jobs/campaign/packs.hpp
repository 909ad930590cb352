// Jobs that run several points: which of them have ended while the job goes on.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "jobs/campaign/journal.hpp"
#include "jobs/campaign/out_folder.hpp"

namespace epochcast::jobs {

/// How the script of a point ended.
struct EndInPack {
  int status = 0;
  bool out_of_memory = false;
};

class Packs {
 public:
  Packs(const OutFolder& out, const Journal& journal);

  /// Nothing if the point has not ended in the job, or is not one of its several.
  std::optional<EndInPack> end_of(const std::string& point, const std::string& job) const;
  /// Whether somebody cancelled the point alone; it may run on for a moment.
  bool is_cancelled(const std::string& point, const std::string& job) const {
    return cancelled_.contains({point, job});
  }

 private:
  std::map<std::pair<std::string, std::string>, EndInPack> ends_;  ///< By point and job.
  std::set<std::pair<std::string, std::string>> cancelled_;
};

}  // namespace epochcast::jobs
