// Advice as tables and as a chart.
#pragma once

#include <vector>

#include "jobs/advise/advice.hpp"
#include "src/output/plot/chart.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::jobs {

/// "advice": what it takes on each allocation; "details": limits, pieces and gaps.
std::vector<table::Table> advice_tables(const std::vector<AdviceRow>& rows);

/// "sources": every number of the advice and where it is from.
table::Table source_table(const std::vector<AdviceRow>& rows);

/// The wait, the run and the time to result of each allocation, the last with its 80 % interval.
plot::Chart advice_chart(const std::vector<AdviceRow>& rows, const std::string& title);

}  // namespace epochcast::jobs
