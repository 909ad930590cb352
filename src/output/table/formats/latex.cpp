// LaTeX tables with booktabs rules, to be \input into a document: headings are stacked, and a table
// that is still wider than the page is made smaller.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "src/base/core/text.hpp"
#include "src/output/table/format.hpp"

namespace epochcast::table::formats {
namespace latex_writer {

// All characters that LaTeX would not print unchanged, in our texts and in the user's.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> replacements{{
    {"\\", "\\textbackslash{}"},
    {"&", "\\&"},
    {"%", "\\%"},
    {"$", "\\$"},
    {"#", "\\#"},
    {"_", "\\_"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"|", "\\textbar{}"},
    {"\"", "\\textquotedbl{}"},
    {"[", "{[}"},
    {"]", "{]}"},
    {"×", "$\\times$"},
    {"±", "$\\pm$"},
    {"−", "$-$"},
}};

std::string escaped(std::string_view text) {
  const auto clean = printable(text);
  std::string result;
  for (std::size_t i = 0; i < clean.size();) {
    const auto rest = std::string_view(clean).substr(i);
    const auto* const found =
        std::find_if(replacements.begin(), replacements.end(),
                     [&](const auto& replacement) { return rest.starts_with(replacement.first); });
    const bool as_it_is = found == replacements.end();
    result += as_it_is ? rest.substr(0, 1) : found->second;
    i += as_it_is ? 1 : found->first.size();
  }
  return result;
}

std::string cell_latex(const Cell& cell, const Column& column) {
  const auto text = cell_text(cell, column);
  const auto* number = std::get_if<double>(&cell);
  const bool in_math = number != nullptr && std::isfinite(*number);  // "-" as a minus sign
  return in_math ? "$" + text + "$" : escaped(text);
}

std::string latex_row(const std::vector<std::string>& fields) {
  return join(fields, " & ") + " \\\\\n";
}

std::string table_text(const Table& table) {
  std::string alignment;
  for (const auto& column : table.columns) {
    alignment += column.kind == Column::Kind::number ? 'r' : 'l';
  }
  auto text = fmt::format(
      "\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\label{{tab:{}}}\n"
      "\\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{%\n"
      "\\begin{{tabular}}{{{}}}\n\\toprule\n",
      escaped(table.title), table.name, alignment);
  for (auto& words : stacked_headings(table)) {
    std::transform(words.begin(), words.end(), words.begin(), escaped);
    text += latex_row(words);
  }
  text += "\\midrule\n";
  for (const auto& row : table.rows) {
    text += latex_row(row_texts(table, row, cell_latex));
  }
  text += "\\bottomrule\n\\end{tabular}}\n";
  for (const auto& note : table.notes) {
    text += fmt::format("\\par\\raggedright\\footnotesize {}\n", escaped(note));
  }
  return text + "\\end{table}\n";
}

std::string write(const std::vector<Table>& tables) {
  std::string text = "% needs \\usepackage{booktabs,graphicx} and \\usepackage[T1]{fontenc}\n";
  for (const auto& table : tables) {
    text += "\n" + table_text(table);
  }
  return text;
}

}  // namespace latex_writer

FormatSpec latex() {
  return {.summary = "LaTeX tables with booktabs rules",
          .suffix = "tex",
          .for_readers = true,
          .write = latex_writer::write};
}

}  // namespace epochcast::table::formats
