// Reads texts with labels from the tables of data sets: TSV in the form of GLUE, CSV by RFC 4180.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace epochcast::text {

/// Column names in the header line. The defaults are those of GLUE's SST-2.
struct TextColumns {
  std::string text = "sentence";
  std::string label = "label";
  bool glue =
      true;  ///< Whether a TSV with a column "index" may lack labels, as test sets of GLUE do.
};

struct TextSamples {
  std::vector<std::string> texts;    ///< Unchanged; any bytes.
  std::vector<std::int64_t> labels;  ///< From 0, one per text; empty if the file has no labels.
  std::vector<std::string> notes;    ///< What was excluded and why, one line each.
  std::vector<int> lines;            ///< First line of each text's row in the file, from 1.
};

/// Reads a table, gzip-compressed or not. Its first line is the header. If the header contains a
/// tab, the file is TSV and cells are never quoted; otherwise it is CSV. Skips empty lines.
/// Excludes rows whose label is not a whole number of at least 0 and counts them in the notes.
/// Throws Error in one line: "FILE:LINE: ..." if a column is missing (with the nearest name), a row
/// and the header have different numbers of cells, or a quoted cell does not end; "FILE: ..." if
/// the file cannot be read or has no rows.
TextSamples read_texts(const std::string& path, const TextColumns& columns = {});

/// Labels of two classes: 1 if a label is in `positive`, otherwise 0.
std::vector<std::int64_t> two_classes(const std::vector<std::int64_t>& labels,
                                      const std::vector<std::int64_t>& positive);

}  // namespace epochcast::text
