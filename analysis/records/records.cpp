#include "analysis/records/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/base/cli/report.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/parameter.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::analysis {
namespace {

std::string text_of(std::int64_t value) {
  return std::to_string(value);
}
template <std::size_t N>
std::string text_of(const record::FixedText<N>& value) {
  return value.str();
}

std::vector<std::string> attribute_names(const std::vector<LoadedRecord>& records) {
  std::set<std::string> names{"host", "gpu_name"};
  for_each_field<record::RecordHeader>([&](const auto& field) { names.emplace(field.name); });
  for (const auto& loaded : records) {
    for (const auto& row : loaded.record.parameters) {
      names.insert(row.name.str());
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace

LoadedRecords load_and_report(const std::vector<std::string>& paths, record::Rows rows) {
  auto loaded = record::load_records(paths, rows);
  for (const auto& line : loaded.damaged) {
    cli::report("skipped: " + line);
  }
  return loaded;
}

int status_of(const LoadedRecords& loaded) {
  return loaded.damaged.empty() ? exit_done : exit_failed;
}

std::optional<std::string> attribute(const record::Record& record, std::string_view name) {
  std::optional<std::string> found;
  for_each_field<record::RecordHeader>([&](const auto& field) {
    if (field.name == name) {
      found = text_of(record.header.*field.member);
    }
  });
  if (found) {
    return found;
  }
  for (const auto& row : record.parameters) {
    if (row.name.view() == name) {
      return row.value.str();
    }
  }
  if (name == "host" || name == "gpu_name") {
    const record::Machine machine =
        record.machines.empty() ? record::Machine{} : record.machines.front();
    return name == "host" ? machine.host.str() : machine.gpu_name.str();
  }
  return std::nullopt;
}

std::vector<std::string> attributes(const record::Record& record,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const auto& name : names) {
    values.push_back(attribute(record, name).value_or(""));
  }
  return values;
}

void require_attributes(const std::vector<LoadedRecord>& records,
                        const std::vector<std::string>& names) {
  const auto known = names.empty() ? names : attribute_names(records);
  for (const auto& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(fmt::format("no record has '{}'{}", name, did_you_mean(name, known)));
    }
  }
}

std::vector<LoadedRecord> filtered(std::vector<LoadedRecord> records,
                                   const std::vector<std::string>& conditions) {
  std::map<std::string, std::set<std::string>> wanted;
  for (const auto& condition : conditions) {
    const auto equals = condition.find('=');
    if (equals == std::string::npos) {
      throw Error(fmt::format("--filter: found '{}', expected name=value", condition));
    }
    const auto name = condition.substr(0, equals);
    require_attributes(records, {name});
    wanted[name].insert(run::current_text(name, condition.substr(equals + 1)));
  }
  std::erase_if(records, [&](const LoadedRecord& loaded) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const auto& condition) {
      const auto value = attribute(loaded.record, condition.first);
      return !value || !condition.second.contains(*value);
    });
  });
  return records;
}

}  // namespace epochcast::analysis
