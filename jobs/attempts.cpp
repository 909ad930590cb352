#include "jobs/attempts.hpp"

#include <algorithm>
#include <filesystem>

#include "src/core/error.hpp"
#include "src/record/json_lines.hpp"

namespace epochcast::jobs {

namespace fs = std::filesystem;

std::map<std::string, std::vector<Attempt>> read_attempts(const OutFolder& out) {
  std::map<std::string, std::vector<Attempt>> attempts;
  for (const auto& entry : fs::directory_iterator(out.records())) {
    if (entry.path().extension() != ".jsonl") {
      continue;
    }
    if (const auto lines = read_json_lines(entry.path()); lines.has_header) {
      const auto& header = lines.record.header;
      attempts[header.point.str()].push_back(
          {fs::path(entry.path()).replace_extension(".h5"), header});
    }
  }
  for (auto& [point, list] : attempts) {
    std::sort(list.begin(), list.end(), [](const Attempt& a, const Attempt& b) {
      return std::tuple(a.header.created_at.view(), a.header.restart) <
             std::tuple(b.header.created_at.view(), b.header.restart);
    });
  }
  return attempts;
}

}  // namespace epochcast::jobs
