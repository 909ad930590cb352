// The #SBATCH lines of a script, in the forms that the site accepts.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "jobs/cluster/cluster.hpp"

namespace epochcast::jobs {

/// Builds the text of a script line by line.
class Lines {
 public:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  /// The same without placeholders; `line` may be several lines.
  void raw(std::string_view line) { (text_ += line) += '\n'; }
  /// Lines that are complete already.
  void text_of(std::string_view lines) { text_ += lines; }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

/// Every #SBATCH line for the allocation. `log` is a pattern such as "%x-%j.out" in the folder
/// OUT/logs. Throws Error for text that an #SBATCH line cannot contain.
void add_sbatch_header(Lines& lines, const AllocationProfile& site, std::string_view out,
                       std::string_view job_name, std::string_view log);

/// "mem=6G": the option of sbatch for so much memory per node, in the form of the site; "" if the
/// site takes none, or the allocation is all memory of the nodes.
std::string memory_option(const AllocationProfile& site, Bytes memory);

/// "MinMemoryNode=6144": the same for scontrol update.
std::string memory_update(const AllocationProfile& site, Bytes memory);

/// `value` for an #SBATCH line, quoted if necessary. Throws Error for a line break, and for text
/// that is longer than sbatch's buffer.
std::string sbatch_quote(std::string_view value);

/// A time limit in Slurm's notation, rounded up to whole minutes: "0-02:30:00".
std::string slurm_time(Seconds time);

}  // namespace epochcast::jobs
