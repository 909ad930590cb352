#include "src/slurm/queue.hpp"

#include <algorithm>
#include <array>

#include "src/base/core/text.hpp"
#include "src/slurm/time.hpp"

namespace epochcast::slurm {
namespace {

/// Splits a line into `count` cells; the last one keeps further separators.
std::vector<std::string> line_cells(const std::string& line, std::size_t count) {
  auto cells = split(line, '|');
  while (cells.size() > count) {
    cells[cells.size() - 2] += "|" + cells.back();
    cells.pop_back();
  }
  cells.resize(count);
  return cells;
}

}  // namespace

JobState parse_state(std::string_view text) {
  return parse_enum<JobState>(text.substr(0, text.find_first_of(" +"))).value_or(JobState::unknown);
}

bool is_live(JobState state) {
  using enum JobState;
  constexpr std::array ended{completed,     cancelled, failed,        timeout,
                             node_fail,     preempted, boot_fail,     deadline,
                             out_of_memory, revoked,   launch_failed, reconfig_fail};
  return std::ranges::find(ended, state) == ended.end();
}

bool waits(JobState state) {
  using enum JobState;
  constexpr std::array waiting{pending,      requeued,      requeue_fed,
                               requeue_hold, resv_del_hold, special_exit};
  return std::ranges::find(waiting, state) != waiting.end();
}

bool holds_cpus(JobState state) {
  return is_live(state) && !waits(state) && state != JobState::suspended &&
         state != JobState::stage_out;
}

std::map<std::string, JobTimes> parse_times(std::string_view text) {
  std::map<std::string, JobTimes> times;
  for (const auto& line : split(text, '\n')) {
    if (const auto cells = split(line, '|'); cells.size() == 4) {
      times[cells[0]] = {waits(parse_state(cells[1])), parse_double(cells[2]),
                         parse_time_s(cells[3])};
    }
  }
  return times;
}

std::vector<Job> parse_queue(std::string_view text) {
  std::vector<Job> jobs;
  for (const auto& line : split(text, '\n')) {
    if (!line.empty()) {
      auto cells = line_cells(line, 7);
      jobs.push_back({.id = cells[0],
                      .name = cells[1],
                      .state = parse_state(cells[2]),
                      .reason = cells[4] == "None" ? "" : cells[4],
                      .comment = cells[6] == "(null)" ? "" : cells[6],
                      .job_name = cells[5],
                      .exit_code = "",
                      .elapsed_s = parse_time_s(cells[3]).value_or(0)});
    }
  }
  return jobs;
}

std::vector<Job> parse_accounting(std::string_view text) {
  std::vector<Job> jobs;
  for (const auto& line : split(text, '\n')) {
    if (!line.empty()) {
      auto cells = line_cells(line, 8);
      jobs.push_back({.id = cells[0],
                      .name = cells[1],
                      .state = parse_state(cells[2]),
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

std::string assigned_nodes(std::string_view cell) {
  cell = trim(cell);
  return cell == "None assigned" ? "" : std::string(cell);
}

std::vector<NodeFailure> parse_node_failures(std::string_view text) {
  std::vector<NodeFailure> failures;
  for (const auto& line : split(text, '\n')) {
    const auto cells = line_cells(line, 4);
    const auto state = parse_state(cells[1]);
    if (state == JobState::node_fail || state == JobState::boot_fail) {
      failures.push_back({cells[0], parse_double(cells[2]).value_or(0), assigned_nodes(cells[3])});
    }
  }
  return failures;
}

std::string first_line(std::string_view text) {
  constexpr std::size_t longest = 300;
  for (const auto& line : split(text, '\n')) {
    if (const auto found = trim(line); !found.empty()) {
      return std::string(found.substr(0, longest)) + (found.size() > longest ? "..." : "");
    }
  }
  return "no error message";
}

}  // namespace epochcast::slurm
