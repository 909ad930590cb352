// A program of the user's, as an experiment with `command:` describes it: how it is started,
// watched, stopped and started again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/experiment/settings.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::jobs {

/// How a pilot of the program ends. Without any of these, plan's default number of epochs.
struct PilotOfProgram {
  std::int64_t epochs = 0;              ///< Stopped after so many; 0: not by epochs.
  Seconds time = {};                    ///< Stopped after this time; 0: not by time.
  std::vector<std::string> arguments;   ///< Appended to the command; they make it end itself.
  std::vector<std::string> share = {};  ///< Settings that do not change how long an epoch takes.

  bool is_given() const { return epochs > 0 || time.value > 0 || !arguments.empty(); }
  bool operator==(const PilotOfProgram&) const = default;
};

/// How the program goes on from its own checkpoint.
struct ResumeOfProgram {
  std::vector<std::string> arguments;  ///< Appended to the command.
  std::vector<std::string> files;      ///< Only if all of these exist.
};

struct EnvironmentVariable {
  std::string name;
  /// std::nullopt: it must be set where the job is submitted, and its value is written nowhere.
  std::optional<std::string> value;
};

/// Every text may have {placeholders}. Relative paths are relative to `folder`.
struct Program {
  std::vector<std::string> command;  ///< Empty: epochcast-train.
  std::string folder;                ///< Where it starts; "": where 'generate' is called.
  std::vector<EnvironmentVariable> environment;
  std::vector<std::string> inputs;   ///< Must exist when it starts.
  std::vector<std::string> outputs;  ///< Must exist when it has ended.
  std::string metrics;               ///< File or folder that it writes metrics into; "": none.
  std::string progress;              ///< A format; "": recognized.
  std::string pattern;               ///< A regular expression instead of a format.
  std::optional<bool> hook;          ///< --hook of epochcast-run; empty: as the profile says.
  PilotOfProgram pilot;
  ResumeOfProgram resume;
  std::string checkpoint_signal;  ///< "": none besides the one before the time limit.
  Seconds checkpoint_lead = {};   ///< 0: the default of epochcast-run.

  bool is_given() const { return !command.empty(); }
};

/// Every text of `program` that may have placeholders, with the key it belongs to.
std::vector<std::pair<std::string, std::string>> texts_of(const Program& program);

/// `program` with its placeholders replaced and its paths absolute.
Program filled(const Program& program, const Settings& values);

/// The longest time before the limit of a job at which the program may be told to stop: by the
/// site's signal, or by its own checkpoint_signal.
Seconds lead_before_limit(const Program& program, Seconds signal_lead);

/// Whether `folder` lies in the work folder of the point, which is made before the program starts.
bool is_made(const std::string& folder);

/// Names of the {placeholders} of `text`, each once, in order; "{{" and "}}" are literal braces.
/// Throws Error for a brace that is not closed, and for a text in braces that cannot be a name.
std::vector<std::string> placeholders(const std::string& text);

/// `text` with every placeholder replaced; all must be in `values`.
std::string fill_placeholders(const std::string& text, const Settings& values);

/// `text` with its braces doubled: the inverse of fill_placeholders for a text without
/// placeholders.
std::string with_literal_braces(const std::string& text);

}  // namespace epochcast::jobs
