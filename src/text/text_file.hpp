// Texts with labels from the tables that data sets come as: TSV as GLUE has it, CSV as RFC 4180 has
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace epochcast::text {

/// Names of columns in the header line. The defaults are those of GLUE's SST-2.
struct TextColumns {
  std::string text = "sentence";
  std::string label = "label";
  bool glue =
      true;  ///< Whether a TSV with a column "index" may lack the labels: a test set of GLUE.
};

struct TextSamples {
  std::vector<std::string> texts;    ///< As they stand: any bytes.
  std::vector<std::int64_t> labels;  ///< From 0, one a text; none at all where the file has none.
  std::vector<std::string> notes;    ///< What was left out and why, a line each.
  std::vector<int> lines;            ///< On which line of the file each text's row begins, from 1.
};

/// Reads a table, gzip-compressed or not, whose first line is its header. A tab in the header makes
/// it TSV, whose cells are never quoted, else it is CSV. Empty lines are skipped; rows whose label
/// is no whole number from 0 are left out and counted in the notes. Throws Error, one line
/// FILE:LINE: no such column (with the nearest there is), another number of cells than the header,
/// a quoted cell that does not end, no rows; FILE: cannot be read.
TextSamples read_texts(const std::string& path, const TextColumns& columns = {});

/// Labels of two classes: 1 where a label is one of `positive`, else 0.
std::vector<std::int64_t> two_classes(const std::vector<std::int64_t>& labels,
                                      const std::vector<std::int64_t>& positive);

}  // namespace epochcast::text
