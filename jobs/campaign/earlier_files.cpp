#include "jobs/campaign/earlier_files.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

using nlohmann::json;

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : is_there(folder) ? entries_of(folder) : decltype(entries_of(folder)){}) {
    files.push_back(entry.path());
  }
  return files;
}

/// arrays/TOKEN.ended has a line "POINT STATUS [out_of_memory]" for each that ended,
/// arrays/TOKEN.cancelled a file for each that was cancelled alone.
void take_ends(const OutFolder& out, const std::string& job, const std::string& token,
               Journal& journal) {
  for (const auto& path : files_in(out.cancelled(token))) {
    journal.take(json{
        {"event", "cancelled"}, {"points", json::array({path.filename().string()})}, {"job", job}});
  }
  const auto ended = out.ended(token);
  for (const auto& line : split(is_there(ended) ? read_file(ended) : "", '\n')) {
    const auto words = split(line, ' ');
    if (const auto status = words.size() > 1 ? parse_integer(words[1]) : std::nullopt) {
      journal.take(json{{"event", "ended"},
                        {"point", words[0]},
                        {"job", job},
                        {"status", *status},
                        {"out_of_memory", words.back() == "out_of_memory"}});
    }
  }
}

}  // namespace

Journal read_journal(const OutFolder& out) {
  Journal journal(out.journal());
  for (const auto& [job, submission] : journal.submissions()) {
    if (submission.is_pack()) {
      take_ends(out, job, submission.token, journal);
    }
  }
  for (const auto& path : files_in(out.released())) {  // POINT.JOB
    const auto name = path.filename().string();
    const auto dot = name.rfind('.');
    journal.take(
        json{{"event", "left"}, {"point", name.substr(0, dot)}, {"job", name.substr(dot + 1)}});
  }
  return journal;
}

}  // namespace epochcast::jobs
