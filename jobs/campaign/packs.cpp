#include "jobs/campaign/packs.hpp"

#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {

Packs::Packs(const OutFolder& out, const Journal& journal) {
  for (const auto& [job, submission] : journal.submissions()) {
    if (!submission.is_pack()) {
      continue;
    }
    if (const auto cancelled = out.cancelled(submission.token); is_there(cancelled)) {
      for (const auto& entry : entries_of(cancelled)) {
        cancelled_.insert({entry.path().filename(), job});
      }
    }
    const auto ended = out.ended(submission.token);
    for (const auto& line : split(is_there(ended) ? read_file(ended) : "", '\n')) {
      const auto words = split(line, ' ');
      if (const auto status = words.size() > 1 ? parse_integer(words[1]) : std::nullopt) {
        ends_[{words[0], job}] = {static_cast<int>(*status), words.back() == "out_of_memory"};
      }
    }
  }
}

std::optional<EndInPack> Packs::end_of(const std::string& point, const std::string& job) const {
  const auto found = ends_.find({point, job});
  return found == ends_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace epochcast::jobs
