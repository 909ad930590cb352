#include "jobs/campaign/out_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/short_names.hpp"

namespace epochcast::jobs {
namespace {

const std::vector<std::string> fixed_columns{"point", "allocation", "current"};

void set_cell(Index& index, CsvRow& row, const std::string& column, const std::string& value) {
  const auto known = index.column(column);
  const auto at = known.value_or(index.columns.size());
  if (!known) {
    index.columns.push_back(column);
  }
  row.resize(std::max(row.size(), at + 1));
  row[at] = value;
}

void square(Index& index) {
  for (auto& row : index.rows) {
    row.resize(index.columns.size());
  }
}

namespace fs = std::filesystem;

/// The root in generate.json; empty if it has none that can be compared.
std::string kept_root(const OutFolder& out) {
  constexpr auto unwritable = "\uFFFD";  // replaces a byte of a path that JSON cannot contain
  if (!is_there(out.origin())) {
    return "";
  }
  const auto kept = nlohmann::json::parse(read_file(out.origin()), nullptr, false);
  if (!kept.is_object() || !kept.contains("root") || !kept["root"].is_string()) {
    return "";
  }
  const std::string root = kept["root"];
  return root.find(unwritable) == std::string::npos ? root : "";
}

}  // namespace

OutFolder::OutFolder(const std::filesystem::path& path)
    : root(absolute_path(path).lexically_normal()) {
  if (root.filename().empty()) {  // "out/" is "out"
    root = root.parent_path();
  }
}

std::optional<std::size_t> Index::column(const std::string& name) const {
  return find_column(columns, name);
}

Index index_of(const std::vector<Point>& points) {
  Index index{fixed_columns, {}};
  index.rows.reserve(points.size());
  for (const auto& point : points) {
    CsvRow row{point.id, point.allocation, "yes"};
    for (const auto& parameter : complete_parameters(point)) {
      set_cell(index, row, parameter.name, parameter.value);
    }
    index.rows.push_back(std::move(row));
  }
  square(index);
  return index;
}

Index merge(const Index& fresh, const Index& old) {
  Index index = fresh;
  std::unordered_set<std::string_view> known;
  for (const auto& row : fresh.rows) {
    known.insert(row[Index::point]);
  }
  for (const auto& row : old.rows) {
    if (!known.contains(row[Index::point])) {
      CsvRow kept;
      for (std::size_t i = 0; i < row.size(); ++i) {
        set_cell(index, kept, old.columns.at(i), row[i]);
      }
      kept[Index::current] = "no";
      index.rows.push_back(std::move(kept));
    }
  }
  square(index);
  return index;
}

std::string index_text(const Index& index) {
  std::string text = csv_line(index.columns);
  for (const auto& row : index.rows) {
    text += csv_line(row);
  }
  return text;
}

Index read_index(const OutFolder& out) {
  if (!is_there(out.index())) {
    throw Error(fmt::format(
        "{}: is not an output folder (no jobs.csv); make one with 'epochcast-jobs generate'",
        out.root.string()));
  }
  auto rows = parse_csv(read_file(out.index(), most_campaign_mib));
  if (rows.empty() || !std::equal(fixed_columns.begin(), fixed_columns.end(), rows[0].begin(),
                                  rows[0].begin() + static_cast<std::ptrdiff_t>(std::min(
                                                        rows[0].size(), fixed_columns.size())))) {
    throw Error(out.index().string(), 1, "found other columns than 'point,allocation,current,...'");
  }
  Index index{std::move(rows[0]), {}};
  rows.erase(rows.begin());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != index.columns.size()) {
      throw Error(out.index().string(), static_cast<int>(i) + 2,
                  fmt::format("found {} cells, expected {}", rows[i].size(), index.columns.size()));
    }
  }
  index.rows = std::move(rows);
  return index;
}

std::vector<CsvRow> select(const Index& index, const std::vector<std::string>& filters) {
  std::vector<CsvRow> chosen = index.rows;
  for (const auto& filter : filters) {
    const auto [name, values] = parse_setting(filter);
    const auto column = index.column(name);
    if (!column) {
      throw Error(
          fmt::format("--filter: unknown column '{}'{}", name, did_you_mean(name, index.columns)));
    }
    const auto wanted = split(values, ',');
    std::erase_if(chosen, [&](const CsvRow& row) {
      return std::find(wanted.begin(), wanted.end(), row[*column]) == wanted.end();
    });
  }
  return chosen;
}

Origin read_origin(const OutFolder& out) {
  const auto text = read_file(out.origin());
  const auto known = nlohmann::json::parse(text, nullptr, false);
  if (!known.is_object() || !known.contains("cluster_file") || !known.contains("experiment") ||
      !known.contains("trainer")) {
    throw Error(
        fmt::format("{}: is damaged; run 'epochcast-jobs generate' again", out.origin().string()));
  }
  Origin origin;
  origin.cluster = cluster_from(with_commands_for_earlier_ways(
      run::yaml::parse_text(read_file(out.cluster()), known["cluster_file"])));
  origin.cluster.file = out.cluster();  // the copy that was read, for messages
  origin.context = {out.root,
                    known["experiment"],
                    known["trainer"],
                    !origin.cluster.is_local(),
                    known.value("watches", false),
                    known.value("resumes", true),
                    known.value("pilot_has_arguments", false),
                    known.value("companions", std::vector<std::string>{}),
                    {known.value("checkpoint_lead_s", 0.0)},
                    ""};
  JobRules rules;
  for (const auto& [key, rule] :
       {std::pair{retry_key, &rules.retry}, {pack_key, &rules.pack}, {notify_key, &rules.notify}}) {
    if (const auto line = known.value(key, ""); !line.empty()) {
      *rule = with_commands_for_earlier_ways(
                  run::yaml::parse_text(key + (": " + line), "experiment.yaml"))
                  .map.front()
                  .second;
    }
  }
  apply(rules, origin.cluster);
  origin.relatives = {known.value("relatives", std::vector<std::string>{}),
                      known.value("may_differ", std::vector<std::string>{})};
  return origin;
}

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

std::string shown_name(const std::string& point, const std::string& swept) {
  return swept.empty() ? point : point + " (" + swept + ")";
}

FolderLock::FolderLock(const std::filesystem::path& path, const char* what,
                       FileLock::Inherit inherit, double timeout_s)
    : lock_(path, inherit) {
  if (!lock_.try_lock_for(timeout_s)) {
    throw RunError(fmt::format("{}: another 'epochcast-jobs {}' is active here",
                               path.parent_path().string(), what));
  }
}

std::optional<fs::path> original_of(const OutFolder& out) {
  fs::path root = kept_root(out);
  std::error_code one_is_gone;
  if (root.empty() || root == out.root || fs::equivalent(root, out.root, one_is_gone)) {
    return std::nullopt;
  }
  return root;
}

std::string fix_of_copy(const OutFolder& out) {
  const bool planned = is_there(out.plan()) || is_there(out.root.parent_path() / "plan.csv");
  return planned ? "plan into a new folder, or move it back"
                 : "generate again into this one, or move it back";
}

void require_made_here(const OutFolder& out) {
  for (const auto& folder : {out, OutFolder(out.pilots())}) {
    if (const auto root = original_of(folder)) {
      throw Error(fmt::format("{}: the folder was made as {} and its scripts write there; {}",
                              folder.root.string(), root->string(), fix_of_copy(folder)));
    }
  }
}

}  // namespace epochcast::jobs
