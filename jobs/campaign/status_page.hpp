// `status --format json` and `--metrics-out`: the states of a folder for programs. The fields are
// declared here once; JSON, metrics, tables and the reference follow.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/status.hpp"
#include "src/base/core/fields.hpp"
#include "src/output/table/table.hpp"
#include "src/slurm/queue.hpp"

namespace epochcast::jobs {

inline constexpr const char* status_schema = "epochcast-status/1";

using Number = std::optional<double>;

/// A point. A number that is not known is null, a text that is not known is empty.
struct StatusRow {
  std::string point;
  std::string swept;
  std::string state;
  std::string allocation;
  std::string cause;
  std::string reason;
  std::string job;
  Number attempt;
  Number elapsed_s;
  std::string expected_start_at;
  Number expected_wait_s;
  Number left_s;
  Number left_low_s;
  Number left_high_s;
  Number limit_left_s;
  Number done_ratio;
  Number epoch;
  Number epochs;
  std::string tainted;
  std::string disturbed;
  std::string log;
  std::string record;
  std::string used;
  std::string limited_by;
  std::string ask_next;
  Number samples_per_s;
  Number tokens_per_s;
  Number model_tflop_per_s;
  Number mfu_percent;
};

constexpr auto fields_of(Tag<StatusRow>) {
  return FieldTable{
      Field{"point", "1", "Id of the point", &StatusRow::point},
      Field{"swept", "1", "How it differs from other points, as far as the id does not say so",
            &StatusRow::swept},
      Field{"state", "1", "What became of it", &StatusRow::state,
            "new|pending|running|complete|stopped|failed|lost|missing"},
      Field{"allocation", "1", "Allocation of the profile", &StatusRow::allocation},
      Field{"cause", "1", "Why it ended without its result, as records say it", &StatusRow::cause},
      Field{"reason", "1", "The same, or why its job waits, in one line", &StatusRow::reason},
      Field{"job", "1", "Its job, as squeue prints it", &StatusRow::job},
      Field{"attempt", "1", "Number of its attempts, with the one that waits or runs",
            &StatusRow::attempt},
      Field{"elapsed_s", "s", "Time of the program, until its end or until now",
            &StatusRow::elapsed_s},
      Field{"expected_start_at", "1",
            "When a pending job starts, as Slurm expects it now; empty: Slurm does not say",
            &StatusRow::expected_start_at},
      Field{"expected_wait_s", "s", "Time until then", &StatusRow::expected_wait_s},
      Field{"left_s", "s", "Forecast of the time that a running point still needs",
            &StatusRow::left_s},
      Field{"left_low_s", "s", "Lower end of its 95 % interval", &StatusRow::left_low_s},
      Field{"left_high_s", "s", "Upper end of its 95 % interval", &StatusRow::left_high_s},
      Field{"limit_left_s", "s", "Time until the time limit of a running job",
            &StatusRow::limit_left_s},
      Field{"done_ratio", "1", "Part of all steps that are done, 0 to 1", &StatusRow::done_ratio},
      Field{"epoch", "epochs", "Epochs done", &StatusRow::epoch},
      Field{"epochs", "epochs", "Epochs to do", &StatusRow::epochs},
      Field{"tainted", "1", "Why its times must not be compared", &StatusRow::tainted},
      Field{"disturbed", "1", "What disturbed it", &StatusRow::disturbed},
      Field{"log", "1", "Path of the log", &StatusRow::log},
      Field{"record", "1", "Path of the record of the last attempt", &StatusRow::record},
      Field{"used", "1", "What it used of what it had asked for", &StatusRow::used},
      Field{"limited_by", "1", "What limited it", &StatusRow::limited_by},
      Field{"ask_next", "1", "What to ask for next time", &StatusRow::ask_next},
      Field{"samples_per_s", "1/s", "Samples of the newest epoch or steps",
            &StatusRow::samples_per_s},
      Field{"tokens_per_s", "1/s", "Tokens of the same", &StatusRow::tokens_per_s},
      Field{"model_tflop_per_s", "TFLOP/s", "Work of the model, of the same",
            &StatusRow::model_tflop_per_s},
      Field{"mfu_percent", "%", "The same, of the peak of the GPUs", &StatusRow::mfu_percent},
  };
}

/// The folder.
struct StatusPage {
  std::string schema = status_schema;
  std::string at;
  std::string folder;
  std::string experiment;
  std::string cluster;
  std::string copy_of;
  std::string scheduler_problem;
};

constexpr auto fields_of(Tag<StatusPage>) {
  return FieldTable{
      Field{"schema", "1", "Name and version of this page: new fields may come, others change it",
            &StatusPage::schema},
      Field{"at", "1", "When the states were read (ISO 8601)", &StatusPage::at},
      Field{"folder", "1", "Output folder", &StatusPage::folder},
      Field{"experiment", "1", "Its experiment", &StatusPage::experiment},
      Field{"cluster", "1", "Its cluster", &StatusPage::cluster},
      Field{"copy_of", "1", "The folder that this one is a copy of; empty: none",
            &StatusPage::copy_of},
      Field{"scheduler_problem", "1",
            "Why the scheduler did not answer; then the states are those of the records",
            &StatusPage::scheduler_problem},
  };
}

struct StatusForPrograms {
  StatusPage page;
  std::vector<StatusRow> points;
};

/// `times`: of the jobs in the queue, by their names. `now_s`: seconds since 1970.
StatusForPrograms for_programs(const OutFolder& out, const StatusReport& report,
                               const std::map<std::string, slurm::JobTimes>& times, double now_s);

std::string status_json(const StatusForPrograms& status);
/// For Prometheus: the text format that the textfile collector of a node exporter reads.
std::string status_metrics(const StatusForPrograms& status);
/// Numbers rounded as tables are.
table::Table status_table(const StatusForPrograms& status, const std::string& title);

/// docs/reference/status.json, a JSON Schema.
std::string status_reference();

}  // namespace epochcast::jobs
