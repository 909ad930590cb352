// A test on a real Slurm cluster of its own, used as its user alice would: by the commands of the
// README.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "src/base/process/command.hpp"
#include "src/record/record.hpp"

namespace epochcast {

/// What `epochcast-jobs status` says of a point.
struct PointState {
  std::string state;
  std::string job;
  std::string reason;
  std::string tainted;
};

class SlurmLab : public ::testing::Test {
 protected:
  /// Brings the cluster up (six seconds; half a second without accounting). Where namespaces are
  /// refused the test is skipped with the reason, or fails if EPOCHCAST_REQUIRE_SLURM is set.
  void SetUp() override;
  void TearDown() override;

  /// `slurm-lab WORDS`: kill-node, stop slurmctld, ... Fails the test where that fails.
  void lab(const std::vector<std::string>& words);

  /// A command of alice on the login node, with `bin` and Slurm on her PATH, in her home.
  process::CommandResult alice(const std::string& shell_command);

  /// The same, which must succeed; what it printed.
  std::string must(const std::string& shell_command);

  /// The same as root, for what only the site's staff may do.
  std::string root(const std::string& shell_command);

  /// Writes a file into alice's home; its absolute path.
  std::string write(const std::string& name, const std::string& text);

  /// A program in alice's own bin.
  void program(const std::string& name, const std::string& text);

  /// One of bash, which stands before the real one of its name in a command that begins with
  /// `PATH=$HOME/bin:$PATH`, and in the jobs that it submits.
  void fake(const std::string& name, const std::string& body);

  /// experiment.yaml of alice: a training of seconds on `allocations` ("cpu2, t4"); `more`: its
  /// further lines.
  void experiment(const std::string& allocations, const std::string& more);

  /// The same for a training that ends by itself after `seconds`, whatever the speed of the
  /// machine.
  void lasting_experiment(const std::string& allocations, int seconds,
                          const std::string& more = "");

  std::map<std::string, PointState> status(const std::string& out);

  /// Polls status until no point waits or runs.
  std::map<std::string, PointState> wait_until_settled(const std::string& out, int timeout_s = 180);

  /// Waits until `count` attempts have a record, and so train; the jobs they run in.
  std::vector<std::string> wait_for_attempts(const std::string& out, std::size_t count);

  /// Header of every record of OUT, by file name without ".h5".
  std::map<std::string, record::RecordHeader> headers(const std::string& out);

  /// The outcomes alone.
  std::map<std::string, std::string> outcomes(const std::string& out);

  /// The promise kept after every mishap: each point of the index has exactly one complete run.
  void expect_every_point_complete_once(const std::string& out);

  /// Path below alice's home.
  std::filesystem::path home(const std::string& name) const {
    return directory_ / "home/alice" / name;
  }

  /// Set in a derived fixture's constructor, before SetUp.
  bool accounting_ = true;
  std::string enforce_part_limits_ = "ALL";
  bool cgroups_ = false;  ///< A job over its memory is killed; skipped where that cannot be.

 private:
  process::CommandResult slurm_lab(const std::vector<std::string>& words, double timeout_s) const;
  process::CommandResult shell_as(const std::string& user, const std::string& shell_command) const;

  std::filesystem::path directory_;
  bool up_ = false;
};

}  // namespace epochcast
