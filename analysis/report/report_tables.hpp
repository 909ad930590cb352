// The tables of a report, as its sections share them.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/report_input.hpp"
#include "analysis/table_parts/table_spec.hpp"

namespace epochcast::analysis {

struct MadeTables {
  std::vector<table::Table> tables;
  std::string fault;  ///< Why there are none, or no row in the first.
};

/// The tables that `spec` makes of the records.
MadeTables make_tables(const TableSpec& spec, const ReportInput& input);

/// Heading, summary and tables of the registered table `name`; the excluded runs folded.
std::string tables_html(const std::string& name, const std::vector<table::Table>& made);

struct ResultTable {
  std::string name;  ///< "": there is none.
  std::vector<table::Table> tables;
};

/// The registered table that answers what these records were made for (Answer).
ResultTable result_table(const ReportInput& input);

}  // namespace epochcast::analysis
