#include "analysis/commands/commands.hpp"

#include <fmt/format.h>

#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"

namespace epochcast::analysis {

std::vector<std::string> words_after(const cli::Arguments& arguments, std::size_t skipped,
                                     const std::string& what) {
  const auto& words = arguments.positional();
  if (words.size() <= skipped) {
    throw Error(fmt::format("{} is missing (see --help)", what));
  }
  return {words.begin() + static_cast<std::ptrdiff_t>(skipped), words.end()};
}

LoadedRecords requested_records(const cli::Arguments& arguments, record::Rows rows) {
  auto loaded = load_and_report(words_after(arguments, 1, "RECORDS..."), rows);
  if (loaded.records.empty()) {
    throw Error("no record could be read", exit_failed);
  }
  loaded.records = filtered(std::move(loaded.records), arguments.all("filter"));
  if (loaded.records.empty()) {
    throw Error("--filter: no record obeys all conditions");
  }
  return loaded;
}

}  // namespace epochcast::analysis
