#include "jobs/submit/sbatch_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/base/core/text.hpp"
#include "src/slurm/queue.hpp"

namespace epochcast::jobs {
namespace {

/// The id in the last line: sites print banners before it, federations ";cluster" after it.
std::string job_id(const std::string& out) {
  const auto lines = split(trim(out), '\n');
  const auto id =
      lines.empty() ? "" : std::string(trim(lines.back().substr(0, lines.back().find(';'))));
  const bool number = id.find_first_not_of("0123456789") == std::string::npos;
  return number ? id : "";
}

bool is_lost(const process::CommandResult& result) {
  constexpr std::array signs{"Unable to contact", "timed out", "Zero Bytes", "Unexpected message",
                             "Connection refused"};
  return result.timed_out || result.status > 128 ||
         std::any_of(signs.begin(), signs.end(),
                     [&](const char* sign) { return result.err.find(sign) != std::string::npos; });
}

}  // namespace

SbatchAnswer read_answer(const process::CommandResult& result) {
  const auto message = slurm::first_line(result.err + "\n" + result.out);
  if (!result.ok()) {
    return {is_lost(result) ? SbatchAnswer::Kind::unknown : SbatchAnswer::Kind::refused, message};
  }
  const auto id = job_id(result.out);
  return id.empty() ? SbatchAnswer{SbatchAnswer::Kind::unknown,
                                   fmt::format("sbatch succeeded without a job id: {}", message)}
                    : SbatchAnswer{SbatchAnswer::Kind::job, id};
}

}  // namespace epochcast::jobs
