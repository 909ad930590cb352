#include "src/measure/progress/reading/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/duration.hpp"
#include "src/measure/progress/lines/line_durations.hpp"
#include "src/measure/progress/lines/stamp_forms.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t most_columns = 64;

/// `apart`: names may have single blanks in them.
std::vector<std::string> cells_of(std::string_view line, char separator, bool apart) {
  // Two names with underscores are two columns: "acc_train acc_valid".
  static const RegularExpression words(R"((?<cell>\S+))"),
      names(R"((?<cell>\w*_\w*(?= \w*_\w)|\S+(?: \S+)*))");
  std::vector<std::string> cells;
  if (separator == ' ') {
    const auto& form = apart ? names : words;
    for (auto match = form.find(line); match && cells.size() <= most_columns;
         match = form.find(line)) {
      cells.emplace_back(match->text("cell"));
      line = {match->text("cell").end(), line.end()};
    }
    return cells;
  }
  line = trim(line);
  if (separator == '|' && line.size() > 1 && line.front() == '|' && line.back() == '|') {
    line = line.substr(1, line.size() - 2);
  }
  for (const auto& cell : split(line, separator)) {
    auto text = trim(cell);
    const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
    cells.emplace_back(quoted ? text.substr(1, text.size() - 2) : text);
  }
  return cells;
}

/// Of a row with fewer cells than the header has names: each in the column that it stands nearest
/// to, and empty ones between. Nothing, if they are not in sequence.
std::vector<std::string> cells_in_columns(std::string_view line, std::string_view header,
                                          const std::vector<std::string>& names) {
  const auto middle = [](std::string_view of, std::string_view part, std::size_t from) {
    return double(of.find(part, from)) + double(part.size()) / 2;
  };
  std::vector<double> middles;
  std::size_t at = 0;
  for (const auto& name : names) {
    middles.push_back(middle(header, name, at));
    at = header.find(name, at) + name.size();
  }
  std::vector<std::string> cells(names.size());
  std::size_t next = 0;
  at = 0;
  for (const auto& cell : cells_of(line, ' ', false)) {
    const double place = middle(line, cell, at);
    at = line.find(cell, at) + cell.size();
    const auto nearest = std::ranges::min_element(
        middles, {}, [&](const double column) { return std::abs(column - place); });
    const auto column = std::size_t(nearest - middles.begin());
    if (column < next) {
      return {};
    }
    cells[column] = cell;
    next = column + 1;
  }
  return cells;
}

bool is_name(const std::string& cell) {
  static const RegularExpression form(R"(^#?\p{L}[^=:]*$)");
  return cell.size() <= 48 && form.find(cell) && std::ranges::count(cell, ' ') < 3;
}

bool is_epoch(const std::string& name) {
  const auto low = to_lower(name);
  return low == "epoch" || low == "epochs" || low == "#epoch" || low == "ep";
}

/// Of rows that are no epochs: there are several in each.
bool is_of_steps(const std::string& name) {
  static const RegularExpression form(
      R"((?i)^(?:global[_ ]?)?(?:step|iter|batch)$|^(?:split|phase|mode|fold|rank)$)");
  return form.find(name).has_value();
}

bool is_clock(const std::string& name) {
  static const RegularExpression form(
      R"((?i)^(?:elapsed|cum(?:ul)?(?:ative)?|total|wall|since)(?![a-z])|^(?:walltime|runtime|elapsed))");
  return form.find(name).has_value();
}

/// Seconds since 1970 of a date, or of such a number in a column that is named so.
std::optional<double> date_s(const std::string& name, const std::string& cell) {
  static const RegularExpression form(
      R"((?i)(?<![a-z])(?:time_?stamp|date\w*|time|ts|at|unix|_timestamp)$)");
  if (!form.find(name)) {
    return std::nullopt;
  }
  const auto date = take_date(cell);
  const auto time = date ? date : take_unix_time(cell);
  return time && time->size == cell.size() ? std::optional(time->seconds) : std::nullopt;
}

/// "sec(train)" is "train (sec)".
std::string with_unit_last(const std::string& name) {
  static const RegularExpression form(
      R"((?i)^(?<unit>s|secs?|seconds|min|minutes|ms) ?\((?<name>[a-z_ ]+)\)$)");
  const auto match = form.find(name);
  return match ? fmt::format("{} ({})", match->text("name"), match->text("unit")) : name;
}

/// A time: of a number, in the unit that the name ends with.
std::optional<double> seconds_of(const std::string& name, std::string_view cell) {
  const auto found = take_duration(cell);
  return found && trim(cell).empty()
             ? std::optional(found->seconds * (found->has_unit ? 1 : without_unit(name).unit_s))
             : std::nullopt;
}

}  // namespace

std::optional<Table> Table::of_header(std::string_view line) {
  constexpr std::string_view separators = "\t|;, ";
  for (const char separator : separators) {
    if (line.size() > longest_line || line.find(separator) == std::string_view::npos) {
      continue;
    }
    Table table;
    table.separator_ = separator;
    table.header_ = separator == ' ' ? line : "";
    table.names_ = cells_of(line, separator, true);
    auto& names = table.names_;
    const auto epoch = std::ranges::find_if(names, is_epoch);
    const bool fits = names.size() >= (separator == ' ' ? 3 : 2) && names.size() <= most_columns &&
                      epoch != names.end() && std::ranges::all_of(names, is_name) &&
                      std::ranges::none_of(names, is_of_steps);
    if (fits) {
      table.epoch_ = std::size_t(epoch - names.begin());
      return table;
    }
  }
  return std::nullopt;
}

bool Table::is_fastai() const {
  return separator_ == ' ' && names_.front() == "epoch" && names_.back() == "time";
}

bool Table::is_broken_row(std::string_view line, std::int64_t epoch) const {
  const auto cells = separator_ == ' ' ? names_ : cells_of(line, separator_, false);
  return cells.size() > names_.size() && parse_integer(cells[epoch_]) == epoch;
}

std::optional<Reading> Table::row(std::string_view line) const {
  auto cells = cells_of(line, separator_, false);
  if (separator_ == ' ' && cells.size() == names_.size() + 1) {
    cells.erase(cells.begin());  // the index of a data frame
  } else if (separator_ == ' ' && cells.size() > 1 && cells.size() < names_.size()) {
    cells = cells_in_columns(line, header_, names_);
  }
  const auto epoch = cells.size() == names_.size() ? parse_integer(cells[epoch_]) : std::nullopt;
  if (!epoch || *epoch < 0) {
    return std::nullopt;
  }
  Reading reading{.epoch = epoch};
  reading.ends_epoch = true;
  reading.evidence = 0.5;
  std::string times;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty()) {
      continue;
    }
    const auto date = date_s(names_[i], cells[i]);
    const auto seconds = is_clock(names_[i]) ? seconds_of(names_[i], cells[i]) : date;
    const auto text = with_unit_last(names_[i]) + ": " + cells[i];
    const auto value = parse_double(cells[i]);
    if (i == epoch_ || seconds) {
      reading.clock_s = seconds ? seconds : reading.clock_s;
    } else if (const auto stated = durations_of(text);
               stated.epoch_s || stated.evaluation_s || stated.undecided) {
      times += (times.empty() ? "" : " | ") + text;
    } else if (value && std::isfinite(*value) && !stated.step_s) {
      reading.metrics.push_back({.name = names_[i], .value = *value});
    }
  }
  const auto stated = durations_of(times);
  reading.duration_s = stated.epoch_s;
  reading.evaluation_s = stated.evaluation_s;
  return reading;
}

}  // namespace epochcast::progress
