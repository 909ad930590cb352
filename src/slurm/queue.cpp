#include "src/slurm/queue.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "src/core/text.hpp"
#include "src/process/command.hpp"

namespace epochcast::slurm {
namespace {

// The comment comes last: it may hold the separator.
constexpr const char* queue_format = "%A|%i|%T|%M|%r|%j|%k";
constexpr const char* accounting_format =
    "JobIDRaw,JobID,State,ElapsedRaw,ExitCode,Submit,JobName%256,Comment%256";

/// The first `count` cells; the last takes what is left.
std::vector<std::string> cells_of(const std::string& line, std::size_t count) {
  auto cells = split(line, '|');
  while (cells.size() > count) {
    cells[cells.size() - 2] += "|" + cells.back();
    cells.pop_back();
  }
  cells.resize(count);
  return cells;
}

/// "CANCELLED by 1000" and "CANCELLED+" are CANCELLED.
std::string plain_state(const std::string& text) {
  return text.substr(0, text.find_first_of(" +"));
}

Jobs answer_of(const process::CommandResult& result, std::vector<Job> (*parse)(std::string_view)) {
  if (result.ok()) {
    return {true, "", parse(result.out)};
  }
  return {false,
          result.timed_out ? "no answer in time" : first_line(result.err + "\n" + result.out),
          {}};
}

Jobs ask_sacct(const std::vector<std::string>& choice, double timeout_s) {
  std::vector<std::string> words{"sacct", "-X", "-P", "-n", "-o", accounting_format};
  words.insert(words.end(), choice.begin(), choice.end());
  return answer_of(process::run_command(words, timeout_s, {{"SLURM_TIME_FORMAT", "%s"}}),
                   parse_accounting);
}

}  // namespace

bool is_live(std::string_view state) {
  constexpr std::array<std::string_view, 11> live{
      "PENDING",      "RUNNING",     "CONFIGURING", "COMPLETING", "SUSPENDED", "REQUEUED",
      "REQUEUE_HOLD", "REQUEUE_FED", "SIGNALING",   "STAGE_OUT",  "STOPPED"};
  return std::find(live.begin(), live.end(), state) != live.end();
}

Jobs ask_queue(double timeout_s) {
  const auto user = std::to_string(geteuid());
  return answer_of(
      process::run_command({"squeue", "-h", "-r", "-t", "all", "-u", user, "-o", queue_format},
                           timeout_s),
      parse_queue);
}

Jobs ask_accounting(const std::vector<std::string>& names, double timeout_s) {
  constexpr std::size_t at_once = 500;  // command lines have a limit
  Jobs all{true, "", {}};
  for (std::size_t i = 0; i < names.size(); i += at_once) {
    const std::vector<std::string> some(
        names.begin() + static_cast<std::ptrdiff_t>(i),
        names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), i + at_once)));
    auto answer = ask_sacct({"-j", join(some, ",")}, timeout_s);
    if (!answer.answered) {
      return answer;
    }
    all.jobs.insert(all.jobs.end(), answer.jobs.begin(), answer.jobs.end());
  }
  return all;
}

Jobs ask_accounting_by_job_name(const std::string& job_name, double timeout_s) {
  return ask_sacct({"--name", job_name, "-S", "1970-01-01", "-u", std::to_string(geteuid())},
                   timeout_s);
}

std::vector<Job> parse_queue(std::string_view text) {
  std::vector<Job> jobs;
  for (const auto& line : split(text, '\n')) {
    if (!line.empty()) {
      auto cells = cells_of(line, 7);
      jobs.push_back({.id = cells[0],
                      .name = cells[1],
                      .state = plain_state(cells[2]),
                      .reason = cells[4] == "None" ? "" : cells[4],
                      .comment = cells[6] == "(null)" ? "" : cells[6],
                      .job_name = cells[5],
                      .exit_code = "",
                      .elapsed_s = std::max(0.0, parse_slurm_time(cells[3]))});
    }
  }
  return jobs;
}

std::vector<Job> parse_accounting(std::string_view text) {
  std::vector<Job> jobs;
  for (const auto& line : split(text, '\n')) {
    if (!line.empty()) {
      auto cells = cells_of(line, 8);
      jobs.push_back({.id = cells[0],
                      .name = cells[1],
                      .state = plain_state(cells[2]),
                      .reason = "",
                      .comment = cells[7],
                      .job_name = cells[6],
                      .exit_code = cells[4],
                      .elapsed_s = parse_double(cells[3]).value_or(0),
                      .submitted_at_s = parse_double(cells[5]).value_or(0)});
    }
  }
  return jobs;
}

double parse_slurm_time(std::string_view text) {
  if (text == "UNLIMITED" || text == "infinite") {
    return -1;
  }
  double days = 0;
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    days = parse_double(text.substr(0, dash)).value_or(0);
    text.remove_prefix(dash + 1);
  }
  double seconds = 0;
  for (const auto& part : split(text, ':')) {
    seconds = seconds * 60 + parse_double(part).value_or(0);
  }
  return days * 86400 + seconds;
}

std::string first_line(std::string_view text) {
  for (const auto& line : split(text, '\n')) {
    if (!trim(line).empty()) {
      return std::string(trim(line));
    }
  }
  return "it said nothing";
}

}  // namespace epochcast::slurm
