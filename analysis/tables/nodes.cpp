// Nodes: how long the same work takes on each, beside the others, and which attempts failed there.
#include "src/forecast/nodes/nodes.hpp"

#include <fmt/format.h>

#include <map>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/table_parts/table_spec.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::analysis::tables {
namespace nodes_table {

using nodes::NodeReport;

struct NodeRow {
  std::vector<std::string> by;
  NodeReport node;

  /// "1 out_of_memory, 2 node_failure".
  std::string causes() const {
    return join(mapped(node.failures,
                       [](const auto& of) {
                         const auto cause = to_text(of.first);
                         return fmt::format("{} {}", of.second,
                                            cause.empty() ? "of no known cause" : cause);
                       }),
                ", ");
  }
};

table::Columns<NodeRow> columns_of(const std::vector<std::string>& by) {
  const auto percent = [](std::optional<double> NodeReport::*ratio) {
    return [ratio](const NodeRow& row) {
      const auto& value = row.node.*ratio;
      return value ? std::optional(100 * (*value - 1)) : std::nullopt;
    };
  };
  const table::Columns<NodeReport> counts{{"node", "node", &NodeReport::node},
                                          {"attempts", "attempts", "", 0, &NodeReport::attempts},
                                          {"compared", "compared", "", 0, &NodeReport::compared},
                                          {"others", "beside", "", 0, &NodeReport::others}};
  const table::Columns<NodeReport> failures{
      {"failed", "failed", "", 0,
       [](auto& node) { return summed(node.failures, [](auto& of) { return of.second; }); }},
      {"in_a_row", "in a row", "", 0, &NodeReport::in_a_row}};
  table::Columns<NodeRow> columns;
  return columns.add_each(by, &NodeRow::by)
      .add(counts, &NodeRow::node)
      .add({"longer_percent", "longer", "%", 1, percent(&NodeReport::ratio), table::with_sign})
      .add({"low_95_percent", "95 % from", "%", 1, percent(&NodeReport::low), table::with_sign})
      .add({"high_95_percent", "to", "%", 1, percent(&NodeReport::high), table::with_sign})
      .add(failures, &NodeRow::node)
      .add({"causes", "causes", [](auto& row) { return table::text_cell(row.causes()); }});
}

std::vector<table::Table> make(const std::vector<LoadedRecord>& records,
                               const TableOptions& options) {
  require_attributes(records, options.by);
  std::map<std::vector<std::string>, std::vector<nodes::NodeAttempt>> attempts;
  std::vector<ExcludedRun> excluded;
  for (const auto& [path, record] : records) {
    auto attempt = nodes::attempt_of(record);
    if (!attempt.not_compared.empty()) {
      excluded.push_back({path, "time not compared: " + attempt.not_compared});
    }
    attempts[attributes(record, options.by)].push_back(std::move(attempt));
  }
  std::vector<NodeRow> rows;
  for (auto& [by, of] : attempts) {
    append(rows, mapped(nodes::nodes_of(std::move(of)), [&by = by](const auto& node) {
             return NodeRow{by, node};
           }));
  }
  auto table = table::make_table("nodes", "Time of the same work by node, and failures",
                                 columns_of(options.by), rows);
  table.notes.push_back(
      "longer: a typical epoch over that of the same work on the other nodes; an attempt on "
      "several "
      "nodes counts for each, its failure for the node that its reason names, else for each");
  table.notes.push_back(
      "in a row: failures of the node, or with no known cause where the work was completed on "
      "another node, since an attempt that did not fail");
  return not_empty({table, excluded_table(excluded)});
}

}  // namespace nodes_table

TableSpec nodes() {
  return {.summary = "by node: time of the same work beside the other nodes, failures",
          .make = nodes_table::make,
          .rows = record::Rows::without_steps,
          .keeps_disturbed = true};
}

}  // namespace epochcast::analysis::tables
