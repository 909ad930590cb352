#include "jobs/campaign/swept.hpp"

#include <vector>

#include "src/run/short_names.hpp"

namespace epochcast::jobs {

std::map<std::string, std::string> swept_values(const Index& index) {
  std::vector<run::NamedWork> works;
  for (const auto& row : index.rows) {
    auto& work = works.emplace_back();
    for (std::size_t i = 0; i < index.columns.size(); ++i) {
      work.parameters.emplace(index.columns[i], row[i]);
    }
  }
  const auto differing =
      run::differences(works, {"point", "current",                            // no parameters
                               "allocation", "device", "epochs", "repeat"});  // in the id
  std::map<std::string, std::string> swept;
  for (std::size_t i = 0; i < works.size(); ++i) {
    swept.emplace(index.rows[i][Index::point], differing[i]);
  }
  return swept;
}

}  // namespace epochcast::jobs
