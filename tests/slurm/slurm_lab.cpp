#include "tests/slurm/slurm_lab.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "src/record/json_lines.hpp"
#include "src/record/reader.hpp"

namespace epochcast {
namespace {

constexpr double up_timeout_s = 120;
constexpr double command_timeout_s = 120;
constexpr auto poll_pause = std::chrono::milliseconds(1500);

/// The first lines of every experiment here: the lab's model at its smallest.
std::string small_experiment(const std::string& allocations, int samples) {
  return fmt::format(
      "name: lab\nmodel: dcgan\ndataset: {{name: synthetic, samples: {}}}\nbatch: 8\ndevice: "
      "cpu\nallocations: [{}]\n",
      samples, allocations);
}

std::string failure(const std::string& command, const process::CommandResult& result) {
  return fmt::format("{}: exit {}{}\n{}{}", command, result.status,
                     result.timed_out ? ", at its time limit" : "", result.out, result.err);
}

const std::string script = EPOCHCAST_SOURCE_DIR "/tests/slurm/slurm-lab";

using Clock = std::chrono::steady_clock;

}  // namespace

void SlurmLab::SetUp() {
  directory_ = fmt::format("/var/tmp/epochcast-slurm-{}", getpid());
  const auto possible = slurm_lab({"possible"}, command_timeout_s);
  if (!possible.ok() && (cgroups_ || std::getenv("EPOCHCAST_REQUIRE_SLURM") == nullptr)) {
    GTEST_SKIP() << "no real Slurm on this machine: " << possible.err;
  }
  ASSERT_TRUE(possible.ok()) << "EPOCHCAST_REQUIRE_SLURM is set, but: " << possible.err;
  const auto up = slurm_lab({"up"}, up_timeout_s);
  ASSERT_TRUE(up.ok()) << failure("slurm-lab up", up);
  up_ = true;
}

void SlurmLab::TearDown() {
  if (up_ && HasFailure()) {
    fmt::print("{}\n", alice("squeue -l; tail -n 5 " + home("out/logs/*").string()).out);
  }
  slurm_lab({"down"}, command_timeout_s);
}

process::CommandResult SlurmLab::slurm_lab(const std::vector<std::string>& words,
                                           double timeout_s) const {
  std::vector<std::string> command{script};
  command.insert(command.end(), words.begin(), words.end());
  return process::run_command(command, timeout_s,
                              {{"SLURM_LAB_DIR", directory_.string()},
                               {"SLURM_LAB_DBD", accounting_ ? "1" : "0"},
                               {"SLURM_LAB_CGROUP", cgroups_ ? "1" : "0"},
                               {"SLURM_LAB_ENFORCE_PART_LIMITS", enforce_part_limits_},
                               {"SLURM_LAB_SHOW", EPOCHCAST_SOURCE_DIR},
                               {"SLURM_LAB_OWNER", std::to_string(getpid())}});
}

process::CommandResult SlurmLab::shell_as(const std::string& user,
                                          const std::string& shell_command) const {
  // Nodes claim CPUs that the machine has not: threads of several trainings that spin while they
  // wait would take them from each other (a hundred times slower).
  const std::string start =
      "cd && export GOMP_SPINCOUNT=0 PATH='" EPOCHCAST_BINARY_DIR "':$PATH && ";
  return slurm_lab({"exec", "-u", user, "bash", "-c", start + shell_command}, command_timeout_s);
}

void SlurmLab::lab(const std::vector<std::string>& words) {
  const auto result = slurm_lab(words, up_timeout_s);
  ASSERT_TRUE(result.ok()) << failure(words.front(), result);
}

process::CommandResult SlurmLab::alice(const std::string& shell_command) {
  return shell_as("alice", shell_command);
}

std::string SlurmLab::must(const std::string& shell_command) {
  const auto result = alice(shell_command);
  EXPECT_TRUE(result.ok()) << failure(shell_command, result);
  return result.out;
}

std::string SlurmLab::root(const std::string& shell_command) {
  const auto result = shell_as("root", shell_command);
  EXPECT_TRUE(result.ok()) << failure(shell_command, result);
  return result.out;
}

std::string SlurmLab::write(const std::string& name, const std::string& text) {
  std::ofstream(home(name)) << text;
  return home(name).string();
}

void SlurmLab::program(const std::string& name, const std::string& text) {
  must("mkdir -p bin");
  std::filesystem::permissions(write("bin/" + name, text), std::filesystem::perms(0755));
}

void SlurmLab::fake(const std::string& name, const std::string& body) {
  program(name, "#!/bin/bash\n" + body);
}

void SlurmLab::experiment(const std::string& allocations, const std::string& more) {
  write("experiment.yaml", small_experiment(allocations, 16) + more + "\n");
}

void SlurmLab::lasting_experiment(const std::string& allocations, int seconds,
                                  const std::string& more) {
  write("experiment.yaml", small_experiment(allocations, 256) +
                               fmt::format("epochs: 1000\nmax_time: {}s\n{}\n", seconds, more));
}

std::map<std::string, PointState> SlurmLab::status(const std::string& out) {
  const auto command = "epochcast-jobs status '" + out + "' --format json";
  const auto result = alice(command);
  const auto page = nlohmann::json::parse(result.out, nullptr, false);
  std::map<std::string, PointState> states;
  if (!page.is_object()) {
    ADD_FAILURE() << failure(command, result);
    return states;
  }
  for (const auto& point : page.at("points")) {
    states[point.at("point")] = {point.at("state"), point.at("job"), point.at("reason"),
                                 point.at("tainted")};
  }
  return states;
}

std::map<std::string, PointState> SlurmLab::wait_until_settled(const std::string& out,
                                                               int timeout_s) {
  const auto end = Clock::now() + std::chrono::seconds(timeout_s);
  auto states = status(out);
  const auto moves = [](const auto& point) {
    return point.second.state == "pending" || point.second.state == "running";
  };
  while (std::any_of(states.begin(), states.end(), moves) && Clock::now() < end) {
    std::this_thread::sleep_for(poll_pause);
    states = status(out);
  }
  EXPECT_TRUE(std::none_of(states.begin(), states.end(), moves))
      << "not settled after " << timeout_s << " s";
  return states;
}

std::vector<std::string> SlurmLab::wait_for_attempts(const std::string& out, std::size_t count) {
  const auto end = Clock::now() + std::chrono::seconds(60);
  std::vector<std::string> jobs;
  while (jobs.size() < count && Clock::now() < end) {
    std::this_thread::sleep_for(poll_pause);
    jobs.clear();
    // By their lines: a record that only begins has them a moment before its HDF5 file gets its
    // name.
    for (const auto& path : record::find_records({home(out + "/records").string()})) {
      if (const auto lines = record::read_json_lines(record::json_lines_path(path));
          lines.has_header) {
        jobs.push_back(lines.record.header.job_id.str());
      }
    }
  }
  EXPECT_EQ(jobs.size(), count) << "attempts with a record after 60 s";
  return jobs;
}

std::map<std::string, record::RecordHeader> SlurmLab::headers(const std::string& out) {
  std::map<std::string, record::RecordHeader> headers;
  for (const auto& path : record::find_records({home(out + "/records").string()})) {
    // A trainer that only claims to train writes the lines alone.
    headers[std::filesystem::path(path).stem().string()] =
        std::filesystem::exists(path)
            ? record::read_record(path).header
            : record::read_json_lines(record::json_lines_path(path)).record.header;
  }
  return headers;
}

std::map<std::string, std::string> SlurmLab::outcomes(const std::string& out) {
  std::map<std::string, std::string> outcomes;
  for (const auto& [name, header] : headers(out)) {
    outcomes[name] = header.outcome.str();
  }
  return outcomes;
}

void SlurmLab::expect_every_point_complete_once(const std::string& out) {
  std::map<std::string, int> complete;
  for (const auto& [name, header] : headers(out)) {
    complete[header.point.str()] += header.outcome == "complete" ? 1 : 0;
  }
  const auto states = status(out);
  EXPECT_FALSE(states.empty());
  for (const auto& [point, now] : states) {
    EXPECT_EQ(now.state, "complete") << point << ": " << now.reason;
    EXPECT_EQ(complete[point], 1) << point;
  }
}

}  // namespace epochcast
