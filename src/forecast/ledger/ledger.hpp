// The ledger: every forecast that set the time limit of a job, and how the job ended. Each output
// folder has a ledger (a CSV file). The user has another one over all folders, from which forecasts
// learn the size of their errors.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "src/base/core/enum_text.hpp"
#include "src/base/core/fields.hpp"
#include "src/forecast/statistics/prediction.hpp"

namespace epochcast::ledger {

/// A number that is not known: an empty cell of the file.
inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// The classification of a forecast that is a quantile of past jobs' times
/// (jobs/plan/history_plan).
inline constexpr const char* from_history = "history";

/// How the job of a forecast ended.
enum class Outcome {
  open,      ///< It has not ended.
  complete,  ///< The training did all its planned work.
  stopped,   ///< It ended early and saved a partial result.
  failed,    ///< The training ended with an error.
  lost,      ///< The job no longer exists, and its record has no end.
  missing    ///< The job ended without a record of the whole run.
};
constexpr auto texts_of(Tag<Outcome>) {
  return std::array{EnumText<Outcome>{Outcome::open, ""},
                    EnumText<Outcome>{Outcome::complete, "complete"},
                    EnumText<Outcome>{Outcome::stopped, "stopped"},
                    EnumText<Outcome>{Outcome::failed, "failed"},
                    EnumText<Outcome>{Outcome::lost, "lost"},
                    EnumText<Outcome>{Outcome::missing, "missing"}};
}

/// One forecast. Memory is the most that a node held. Times are those of the program from its start
/// to its end, unless noted.
struct LedgerRow {
  std::string made_at;
  std::string out;
  std::string experiment;
  std::string cluster;
  std::string allocation;
  std::string point;
  std::int64_t epochs = 0;
  std::string pilot;
  double forecast_s = not_known;
  double low_80_s = not_known;
  double high_80_s = not_known;
  double low_95_s = not_known;
  double high_95_s = not_known;
  double naive_s = not_known;
  std::string classification;
  std::string remark;
  double needed_s = not_known;
  double lead_s = not_known;
  double asked_s = not_known;
  std::string job;
  Outcome outcome = Outcome::open;
  std::string reason;
  bool censored = false;
  double actual_s = not_known;
  double used_s = not_known;
  double memory_bytes = not_known;
  double memory_high_95_bytes = not_known;
  double memory_asked_bytes = not_known;
  double memory_used_bytes = not_known;

  bool is_open() const { return outcome == Outcome::open; }
};

constexpr auto fields_of(Tag<LedgerRow>) {
  return FieldTable{
      Field{"made_at", "1", "When the forecast was made", &LedgerRow::made_at},
      Field{"out", "1", "Output folder of the job", &LedgerRow::out},
      Field{"experiment", "1", "Name of the experiment", &LedgerRow::experiment},
      Field{"cluster", "1", "Name of the cluster", &LedgerRow::cluster},
      Field{"allocation", "1", "Name of the allocation", &LedgerRow::allocation},
      Field{"point", "1", "Point of the forecast; with `out` the key of a row", &LedgerRow::point},
      Field{"epochs", "epochs", "Passes over the data", &LedgerRow::epochs},
      Field{"pilot", "1", "Point of the pilot that the forecast used", &LedgerRow::pilot},
      Field{"forecast_s", "s", "Forecast; empty: refused (see remark)", &LedgerRow::forecast_s},
      Field{"low_80_s", "s", "Lower end of the 80 % interval", &LedgerRow::low_80_s},
      Field{"high_80_s", "s", "Upper end of the 80 % interval", &LedgerRow::high_80_s},
      Field{"low_95_s", "s", "Lower end of the 95 % interval", &LedgerRow::low_95_s},
      Field{"high_95_s", "s", "Upper end of the 95 % interval", &LedgerRow::high_95_s},
      Field{"naive_s", "s", "1 epoch of the pilot times the epochs", &LedgerRow::naive_s},
      Field{"classification", "1",
            "Class of the pilot's epoch times; relatives: the shape of runs elsewhere; history: no "
            "pilot, but past jobs",
            &LedgerRow::classification},
      Field{"remark", "1",
            "Why the forecast was refused, which runs elsewhere it used, or what happened to the "
            "limit",
            &LedgerRow::remark},
      Field{"needed_s", "s",
            "Limit before it is rounded up to minutes: upper end of the 95 % interval (adjusted by "
            "the user's ledger), time before the program starts, and margin",
            &LedgerRow::needed_s},
      Field{"lead_s", "s", "Time before the limit at which the job gets the signal to stop",
            &LedgerRow::lead_s},
      Field{"asked_s", "s", "Time limit of the job", &LedgerRow::asked_s},
      Field{"job", "1", "The job that ran the point", &LedgerRow::job},
      Field{"outcome", "1", "complete, stopped, failed, lost or missing; empty: it has not ended",
            &LedgerRow::outcome},
      Field{"reason", "1", "Reason of the outcome", &LedgerRow::reason},
      Field{"censored", "1",
            "The job ended before the training was complete: actual_s is a lower bound",
            &LedgerRow::censored},
      Field{"actual_s", "s", "Duration, or time until the job was ended", &LedgerRow::actual_s},
      Field{"used_s", "s", "Duration that the scheduler counted, in whole seconds, with start-up",
            &LedgerRow::used_s},
      Field{"memory_bytes", "B", "Forecast of the most memory of a node; empty: there is none",
            &LedgerRow::memory_bytes},
      Field{"memory_high_95_bytes", "B", "Upper end of its 95 % interval",
            &LedgerRow::memory_high_95_bytes},
      Field{"memory_asked_bytes", "B",
            "Memory of a node that the job asks for; empty: the profile's",
            &LedgerRow::memory_asked_bytes},
      Field{"memory_used_bytes", "B", "The most memory of a node", &LedgerRow::memory_used_bytes},
  };
}

/// The forecast of a row with its intervals, in seconds.
forecast::Prediction forecast_of_row(const LedgerRow& row);
void set_forecast(LedgerRow& row, const forecast::Prediction& forecast_s);

/// The rows of a ledger, oldest first; empty if the file does not exist. Columns are found by name:
/// unknown columns are ignored, and missing columns keep their defaults. A damaged line (truncated,
/// not a number, a negative or infinite time) is omitted; `damaged` receives one message
/// "FILE:LINE: ..." per such line. Throws Error if the file is not a ledger or cannot be read.
std::vector<LedgerRow> read_ledger(const std::string& path,
                                   std::vector<std::string>* damaged = nullptr);

inline constexpr std::size_t newest_bytes = std::size_t{1} << 20;

/// The newest rows, oldest first: all of a ledger of up to `bytes`, else those in its last `bytes`.
/// Thousands of rows show the errors of forecasts as well as all do, and a
/// forecast takes no longer for a ledger of millions. Of a longer ledger no damaged line is named.
std::vector<LedgerRow> read_newest(const std::string& path,
                                   std::vector<std::string>* damaged = nullptr,
                                   std::size_t bytes = newest_bytes);

/// Replaces the file at `path` by a ledger of these rows. Throws RunError if it cannot be written.
void write_ledger(const std::string& path, const std::vector<LedgerRow>& rows);

/// Adds rows to a ledger. A row replaces the row of the same forecast (output folder, point and
/// made_at) or an open row of the same point; otherwise it is appended. A closed row is never
/// opened again. A ledger with damaged lines is first copied to PATH.damaged, since the new file
/// lacks them. Writers on several nodes wait for each other (flock), and a reader never sees an
/// incomplete file. Creates the folder. Throws Error if the file is not a ledger, and RunError if
/// it cannot be written.
void put_in_ledger(const std::string& path, const std::vector<LedgerRow>& rows);

/// The ledger of an output folder: OUT/ledger.csv.
std::string ledger_of(const std::string& out);

/// The ledger of the user over all folders: $EPOCHCAST_LEDGER, otherwise epochcast/ledger.csv in
/// $XDG_DATA_HOME or ~/.local/share. std::nullopt if EPOCHCAST_LEDGER is set and empty, or if there
/// is no home directory.
std::optional<std::string> user_ledger();

/// The ledger of a site, from which all of its users learn and to which no program writes:
/// $EPOCHCAST_SITE_LEDGER. std::nullopt if that is not set or empty.
std::optional<std::string> site_ledger();

/// The records of the newest complete runs of an experiment in the user's ledger (user_ledger),
/// newest first, as far as they are still where the ledger says, at most 50. Throws Error if the
/// file is not a ledger.
std::vector<std::string> records_of_experiment(const std::string& experiment);

}  // namespace epochcast::ledger
