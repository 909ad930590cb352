// The ledger: every forecast that a job's time limit was made from, and what became of the job. One
// CSV file in each output folder and one of the user over all of them; forecasts learn from it how
// wrong they are.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "src/core/fields.hpp"
#include "src/run/outcome.hpp"

namespace epochcast::ledger {

/// A number that is not known; an empty cell of the file.
inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// One forecast. Times are of the program from its start to its end, unless said otherwise.
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
  std::string outcome;
  std::string reason;
  bool censored = false;
  double actual_s = not_known;
  double used_s = not_known;

  bool is_open() const { return outcome.empty(); }
  bool is_complete() const { return outcome == to_text(run::Outcome::complete); }
};

constexpr auto fields_of(Tag<LedgerRow>) {
  return std::tuple{
      Field{"made_at", "1", "When the forecast was made", &LedgerRow::made_at},
      Field{"out", "1", "Output folder of the job", &LedgerRow::out},
      Field{"experiment", "1", "Name of the experiment", &LedgerRow::experiment},
      Field{"cluster", "1", "Name of the cluster", &LedgerRow::cluster},
      Field{"allocation", "1", "Name of the allocation", &LedgerRow::allocation},
      Field{"point", "1", "Point the forecast is of; with `out` the key of a row",
            &LedgerRow::point},
      Field{"epochs", "epochs", "Passes over the data", &LedgerRow::epochs},
      Field{"pilot", "1", "Point of the pilot that it was made from", &LedgerRow::pilot},
      Field{"forecast_s", "s", "Forecast; empty: refused, the remark says why",
            &LedgerRow::forecast_s},
      Field{"low_80_s", "s", "Lower end of the 80 % interval", &LedgerRow::low_80_s},
      Field{"high_80_s", "s", "Upper end of the 80 % interval", &LedgerRow::high_80_s},
      Field{"low_95_s", "s", "Lower end of the 95 % interval", &LedgerRow::low_95_s},
      Field{"high_95_s", "s", "Upper end of the 95 % interval", &LedgerRow::high_95_s},
      Field{"naive_s", "s", "1 epoch of the pilot times the epochs", &LedgerRow::naive_s},
      Field{"classification", "1", "What the forecast says of the pilot's course",
            &LedgerRow::classification},
      Field{"remark", "1", "Why it was refused, or what came of the limit", &LedgerRow::remark},
      Field{"needed_s", "s",
            "Upper end of the 95 % interval as the user's ledger taught it, what comes before the "
            "program, and the margin: the limit before it is rounded up to minutes",
            &LedgerRow::needed_s},
      Field{"lead_s", "s", "How long before its limit the job is told to stop", &LedgerRow::lead_s},
      Field{"asked_s", "s", "Time limit that the job had", &LedgerRow::asked_s},
      Field{"job", "1", "The job that ran the point", &LedgerRow::job},
      Field{"outcome", "1", "complete, stopped, failed, lost or missing; empty: not ended yet",
            &LedgerRow::outcome},
      Field{"reason", "1", "Why it ended so", &LedgerRow::reason},
      Field{"censored", "1", "It ended before its training did: actual_s is a lower bound",
            &LedgerRow::censored},
      Field{"actual_s", "s", "How long it took, or ran until it was ended", &LedgerRow::actual_s},
      Field{"used_s", "s",
            "The same as the scheduler counts it, whole seconds and start-up included",
            &LedgerRow::used_s},
  };
}

/// The rows of a ledger, oldest first; none where there is no file. Columns go by name: unknown
/// ones are ignored, missing ones keep their defaults. Throws Error with file and line for a row
/// that is broken.
std::vector<LedgerRow> read_ledger(const std::string& path);

/// Puts rows into a ledger: each replaces the row of the same forecast (output folder, point and
/// made_at) or an open one of the same point, or comes behind all others; what is closed stays
/// closed. Callers on several nodes wait for each other (flock); a reader never
/// sees half a file. The folder is made if it is not there. Throws Error for a broken ledger,
/// RunError where it cannot be written.
void put_in_ledger(const std::string& path, const std::vector<LedgerRow>& rows);

/// The ledger of an output folder: OUT/ledger.csv.
std::string ledger_of(const std::string& out);

/// The user's own over all folders: $EPOCHCAST_LEDGER, else epochcast/ledger.csv below
/// $XDG_DATA_HOME or ~/.local/share. Nothing where EPOCHCAST_LEDGER is set and empty, or no home is
/// known.
std::optional<std::string> user_ledger();

}  // namespace epochcast::ledger
