// The table after all others: what a table did not count, and why.
#pragma once

#include <string>
#include <vector>

#include "src/output/table/table.hpp"

namespace epochcast::analysis {

struct ExcludedRun {
  std::string path;
  std::string reason;
};

/// Without rows where nothing was left out.
table::Table excluded_table(const std::vector<ExcludedRun>& runs);

/// The first table, and of the others those that have rows or notes.
std::vector<table::Table> not_empty(std::vector<table::Table> tables);

}  // namespace epochcast::analysis
