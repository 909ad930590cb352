#include "src/slurm/accounting_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/accounting_cells.hpp"
#include "src/slurm/queue.hpp"

namespace epochcast::slurm {
namespace {

constexpr const char* wanted_call =
    "sacct -P -o JobID,JobName,User,Partition,State,Submit,Start,End,Elapsed,Timelimit,AllocTRES";

constexpr int most_lines = 200;  // of a text, such as a script given by --wrap

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

bool is_number(std::string_view cell) {
  return std::ranges::all_of(cell, is_digit);
}

bool is_limit_in_minutes(std::string_view cell) {
  return is_number(cell) || cell == "UNLIMITED" || cell == "Partition_Limit";
}

bool is_time(std::string_view cell) {
  return cell.empty() || cell == "UNLIMITED" || cell == "Partition_Limit" || cell == "INVALID" ||
         parse_elapsed_s(cell);
}

bool is_exit_code(std::string_view cell) {
  const auto colon = cell.find(':');
  return cell.empty() || (colon != std::string_view::npos && is_number(cell.substr(0, colon)) &&
                          is_number(cell.substr(colon + 1)));
}

bool is_tres(std::string_view cell) {
  return cell.empty() ||
         (cell.find('=') != std::string_view::npos && cell.find(' ') == std::string_view::npos);
}

bool is_path(std::string_view cell) {
  return cell.empty() || cell.front() == '/';
}

bool is_submit_line(std::string_view cell) {
  const auto program = cell.substr(0, cell.find(' '));
  return cell.empty() || program.ends_with("sbatch") || program.ends_with("srun") ||
         program.ends_with("salloc");
}

using Test = std::function<bool(std::string_view)>;

/// What the cells of a column look like. A column that is not here holds a text of any form.
const std::map<std::string, Test, std::less<>>& forms() {
  static const std::map<std::string, Test, std::less<>> forms{
      {"JobID", [](std::string_view cell) { return parse_job_id(cell).has_value(); }},
      {"JobIDRaw", [](std::string_view cell) { return parse_job_id(cell).has_value(); }},
      {"State", [](std::string_view cell) { return parse_state(cell) != JobState::unknown; }},
      {"Elapsed", is_time},
      {"Timelimit", is_time},
      {"ElapsedRaw", is_number},
      {"TimelimitRaw", is_limit_in_minutes},
      {"Submit", is_stamp},
      {"Eligible", is_stamp},
      {"Start", is_stamp},
      {"End", is_stamp},
      {"ExitCode", is_exit_code},
      {"DerivedExitCode", is_exit_code},
      {"AllocTRES", is_tres},
      {"ReqTRES", is_tres},
      {"AllocCPUS", is_number},
      {"NCPUS", is_number},
      {"ReqCPUS", is_number},
      {"AllocNodes", is_number},
      {"NNodes", is_number},
      {"ReqNodes", is_number},
      {"Restarts", is_number},
      {"UID", is_number},
      {"GID", is_number}};
  return forms;
}

/// Columns whose text users choose: the only ones that can contain a separator or a line break.
const std::map<std::string, Test, std::less<>>& texts_of_users() {
  const auto any = [](std::string_view) { return true; };
  static const std::map<std::string, Test, std::less<>> texts{
      {"JobName", any}, {"WorkDir", is_path},  {"SubmitLine", is_submit_line},
      {"Comment", any}, {"AdminComment", any}, {"SystemComment", any},
      {"Extra", any},   {"Constraints", any},  {"Container", any},
      {"WCKey", any},   {"StdOut", any},       {"StdErr", any},
      {"StdIn", any}};
  return texts;
}

}  // namespace

AccountingHeader::AccountingHeader(std::string_view line, const std::string& file, int number) {
  const auto first_end = std::ranges::find_if_not(line, is_name_character);
  const auto second = std::find_if(first_end, line.end(), is_name_character);
  separator_ = std::string(first_end, second);
  const auto names = separator_.empty() ? std::vector<std::string_view>{line} : split(line);
  for (const auto name : names) {
    names_.emplace_back(name);
  }
  if (names_.size() > 1 && names_.back().empty()) {
    names_.pop_back();
    ends_with_separator_ = true;
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    places_.try_emplace(names_[i], i);
  }
  const auto require = [&](const std::vector<std::string>& any_of) {
    if (std::ranges::none_of(any_of, [&](const auto& name) { return has(name); })) {
      throw Error(file, number,
                  fmt::format("found no column {} in the first line, expected the output of '{}' "
                              "with its header",
                              join(any_of, " or "), wanted_call));
    }
  };
  require({"JobID", "JobIDRaw"});
  require({"State"});
  if (!(has("Start") && has("End"))) {
    require({"Elapsed", "ElapsedRaw"});
  }
}

std::string_view AccountingHeader::cell(const std::vector<std::string_view>& cells,
                                        const std::vector<std::string>& columns) const {
  for (const auto& column : columns) {
    if (const auto place = places_.find(column); place != places_.end()) {
      if (const auto text = trim(cells[place->second]); !text.empty()) {
        return text;
      }
    }
  }
  return "";
}

std::vector<std::string_view> AccountingHeader::split(std::string_view line) const {
  std::vector<std::string_view> cells;
  for (;;) {
    const auto end = line.find(separator_);
    cells.push_back(line.substr(0, end));
    if (end == std::string_view::npos) {
      return cells;
    }
    line.remove_prefix(end + separator_.size());
  }
}

bool AccountingHeader::is_plausible(const std::vector<std::string_view>& cells) const {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto form = forms().find(names_[i]);
    if (form != forms().end() && !form->second(trim(cells[i]))) {
      return false;
    }
    const auto text = texts_of_users().find(names_[i]);
    if (text != texts_of_users().end() && !text->second(cells[i])) {
      return false;
    }
  }
  return true;
}

/// Tries all ways to join the parts from `part` on to the cells of the columns from `column` on.
void AccountingHeader::join_surplus(const std::vector<std::string_view>& parts, std::size_t column,
                                    std::size_t part, std::vector<std::string_view>& cells,
                                    std::vector<std::vector<std::string_view>>& found,
                                    int& steps) const {
  constexpr int most_steps = 10'000;
  if (++steps > most_steps || found.size() > 1) {
    return;
  }
  if (column == names_.size()) {
    if (is_plausible(cells)) {
      found.push_back(cells);
    }
    return;
  }
  const auto surplus = (parts.size() - part) - (names_.size() - column);
  const bool may_join = texts_of_users().contains(names_[column]);
  const auto form = forms().find(names_[column]);
  for (std::size_t more = 0; more <= (may_join ? surplus : 0); ++more) {
    if (column + 1 == names_.size() && more != surplus) {
      continue;
    }
    const auto* begin = parts[part].data();
    const auto& last = parts[part + more];
    cells[column] = {begin, static_cast<std::size_t>(last.data() + last.size() - begin)};
    if (form == forms().end() || form->second(trim(cells[column]))) {
      join_surplus(parts, column + 1, part + more + 1, cells, found, steps);
    }
  }
}

std::optional<std::vector<std::string_view>> AccountingHeader::cells_of(
    std::string_view line) const {
  if (ends_with_separator_) {
    if (!line.ends_with(separator_)) {
      return std::nullopt;
    }
    line.remove_suffix(separator_.size());
  }
  auto parts = separator_.empty() ? std::vector<std::string_view>{line} : split(line);
  if (parts.size() < names_.size()) {
    return std::nullopt;
  }
  if (parts.size() == names_.size()) {
    return parts;
  }
  std::vector<std::string_view> cells(names_.size());
  std::vector<std::vector<std::string_view>> found;
  int steps = 0;
  join_surplus(parts, 0, 0, cells, found, steps);
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

bool AccountingHeader::is_too_short(std::string_view line) const {
  const auto parts = separator_.empty() ? 1 : split(line).size();
  return parts < names_.size() + (ends_with_separator_ ? 1 : 0);
}

bool AccountingHeader::ends_with_text() const {
  return !ends_with_separator_ && texts_of_users().contains(names_.back());
}

bool AccountingHeader::begins_a_row(std::string_view line) const {
  const auto form = forms().find(names_.front());
  const auto end = separator_.empty() ? std::string_view::npos : line.find(separator_);
  return form == forms().end() ? end != std::string_view::npos
                               : form->second(trim(line.substr(0, end)));
}

AccountingReader::AccountingReader(std::string_view text, const std::string& file)
    : file_(file), rest_(text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (rest_.starts_with(byte_order_mark)) {
    rest_.remove_prefix(byte_order_mark.size());
  }
  header_.emplace(trim(take_line()), file_, line_);
}

std::string_view AccountingReader::take_line() {
  const auto end = rest_.find('\n');
  auto line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++line_;
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

/// The line with as many of the following lines as its cells need; the line alone if they do not
/// help. `rest_` and `line_` then stand after it.
std::string_view AccountingReader::longer(std::string_view line) {
  const auto rest = rest_;
  const int number = line_;
  for (int i = 0; i < most_lines && !rest_.empty(); ++i) {
    const auto next = take_line();
    if (header_->begins_a_row(next)) {
      break;
    }
    const std::string_view whole{line.data(),
                                 static_cast<std::size_t>(next.data() + next.size() - line.data())};
    if (!header_->is_too_short(whole)) {
      if (header_->cells_of(whole)) {
        return whole;
      }
      break;
    }
  }
  rest_ = rest;
  line_ = number;
  return line;
}

/// A row whose last text has more lines, with these.
std::string_view AccountingReader::with_rest_of_text(std::string_view line) {
  for (int i = 0; i < most_lines && !rest_.empty(); ++i) {
    const auto rest = rest_;
    const int number = line_;
    const auto next = take_line();
    const std::string_view whole{line.data(),
                                 static_cast<std::size_t>(next.data() + next.size() - line.data())};
    if (header_->begins_a_row(next) || !header_->is_too_short(next) || !header_->cells_of(whole)) {
      rest_ = rest;
      line_ = number;
      break;
    }
    line = whole;
  }
  return line;
}

bool AccountingReader::next(AccountingRow& row, std::vector<std::string>& problems) {
  while (!rest_.empty()) {
    auto line = take_line();
    if (trim(line).empty()) {
      continue;
    }
    row.line = line_;
    if (header_->is_too_short(line)) {
      line = header_->begins_a_row(line) ? longer(line) : line;
    }
    if (header_->ends_with_text() && header_->cells_of(line)) {
      line = with_rest_of_text(line);
    }
    if (auto cells = header_->cells_of(line)) {
      row.cells = std::move(*cells);
      return true;
    }
    problems.push_back(
        Error(file_, row.line,
              header_->is_too_short(line)
                  ? "found fewer cells than columns"
                  : "found more cells than columns: a text contains the separator; ask sacct for "
                    "another one, as with --delimiter=$'\\x1f'")
            .what());
  }
  return false;
}

}  // namespace epochcast::slurm
