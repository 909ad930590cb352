#include "jobs/campaign/status_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/efficiency/job_report.hpp"
#include "src/forecast/efficiency/model_work.hpp"
#include "src/output/table/make_table.hpp"

namespace epochcast::jobs {
namespace {

using Json = nlohmann::ordered_json;

std::string stamp_of(double seconds) {
  const std::chrono::duration<double> since(seconds);
  return iso8601(std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(since)));
}

/// What a record does not have, the queue has.
void take_times(const slurm::JobTimes& times, double now_s, StatusRow& row) {
  if (row.state == to_text(PointState::pending) && times.waits && times.starts_at_s) {
    row.expected_start_at = stamp_of(*times.starts_at_s);
    row.expected_wait_s = std::max(0.0, *times.starts_at_s - now_s);
  } else if (row.state == to_text(PointState::running) && !row.limit_left_s) {
    row.limit_left_s = times.left_s;
  }
}

StatusRow row_of(const PointStatus& point) {
  const auto& progress = point.progress;
  const auto rate = [&](std::string_view key) {
    const auto* shown =
        std::ranges::find(efficiency::shown_rates, key, &efficiency::ShownRate::key);
    return shown->of(progress.rates);
  };
  StatusRow row{.point = point.point,
                .swept = point.swept,
                .state = std::string(to_text(point.state)),
                .allocation = point.allocation,
                .cause = std::string(to_text(point.cause)),
                .reason = point.reason,
                .job = point.job_name,
                .attempt = static_cast<double>(std::max(point.attempts, point.jobs)),
                .elapsed_s = progress.elapsed_s,
                .left_s = progress.left_s,
                .left_low_s = progress.left_low_s,
                .left_high_s = progress.left_high_s,
                .limit_left_s = progress.job_left_s,
                .done_ratio = progress.share,
                .epoch = progress.epoch,
                .epochs = progress.epochs,
                .tainted = point.tainted,
                .disturbed = point.disturbed,
                .log = point.log,
                .record = point.record,
                .samples_per_s = rate("samples_per_s"),
                .tokens_per_s = rate("tokens_per_s"),
                .model_tflop_per_s = rate("model_tflop_per_s"),
                .mfu_percent = rate("mfu_percent")};
  if (point.use) {
    row.used = efficiency::use_text(*point.use);
    row.limited_by = point.use->limited_by;
    row.ask_next = efficiency::next_text(*point.use);
  }
  return row;
}

Json json_value(const std::string& text) {
  return text;
}
/// To a thousandth: more is noise.
Json json_value(const Number& value) {
  if (!value || !std::isfinite(*value)) {
    return {};
  }
  const double rounded = std::round(1000 * *value) / 1000;
  const double whole = std::floor(rounded);
  return rounded == whole ? Json(static_cast<std::int64_t>(whole)) : Json(rounded);
}

template <class Struct>
Json object_of(const Struct& values) {
  Json object = Json::object();
  for_each_field<Struct>([&](const auto& field) {
    object[std::string(field.name)] = json_value(values.*field.member);
  });
  return object;
}

template <class AnyField>
constexpr bool is_number = std::is_same_v<value_of<AnyField>, Number>;

/// Of a label: the format has these three escapes.
std::string label_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '\\' ? "\\\\" : c == '"' ? "\\\"" : c == '\n' ? "\\n" : std::string(1, c);
  }
  return escaped;
}

/// "elapsed_s" is "epochcast_point_elapsed_seconds", as Prometheus writes units.
std::string metric_name(std::string_view field) {
  constexpr std::string_view seconds = "_s";
  auto name = fmt::format("epochcast_point_{}", field);
  if (name.ends_with(seconds)) {
    name.replace(name.size() - 1, 1, name.ends_with("_per_s") ? "second" : "seconds");
  }
  return name;
}

std::string metric_head(const std::string& name, std::string_view help) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help);
}

template <class Struct>
Json object_schema() {
  Json properties = Json::object();
  Json names = Json::array();
  for_each_field<Struct>([&](const auto& field) {
    auto& property = properties[std::string(field.name)];
    property["description"] = field.meaning;
    if constexpr (is_number<decltype(field)>) {
      property["type"] = {"number", "null"};
      property["unit"] = field.unit;
    } else {
      property["type"] = "string";
    }
    if (!field.allowed.empty()) {
      property["enum"] = split(field.allowed, '|');
    }
    names.push_back(field.name);
  });
  return {{"type", "object"}, {"properties", properties}, {"required", names}};
}

}  // namespace

StatusForPrograms for_programs(const OutFolder& out, const StatusReport& report,
                               const std::map<std::string, slurm::JobTimes>& times, double now_s) {
  StatusForPrograms status{.page = {.at = stamp_of(now_s),
                                    .folder = out.root,
                                    .copy_of = report.made_as,
                                    .scheduler_problem = report.scheduler_problem},
                           .points = {}};
  try {
    const auto origin = read_origin(out);
    status.page.experiment = origin.context.experiment;
    status.page.cluster = origin.cluster.name;
  } catch (const Error&) {  // a profile that cannot be read must not hide the states
  }
  for (const auto& point : report.points) {
    auto& row = status.points.emplace_back(row_of(point));
    if (const auto found = times.find(row.job); found != times.end()) {
      take_times(found->second, now_s, row);
    }
  }
  return status;
}

std::string status_json(const StatusForPrograms& status) {
  auto page = object_of(status.page);
  auto& points = page["points"] = Json::array();
  for (const auto& row : status.points) {
    points.push_back(object_of(row));
  }
  return page.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string status_metrics(const StatusForPrograms& status) {
  const auto folder =
      fmt::format("experiment=\"{}\",folder=\"{}\"", label_text(status.page.experiment),
                  label_text(status.page.folder));
  std::map<std::string, std::size_t> counts;
  auto states = metric_head("epochcast_point_state", "State of a point: 1 for that which it is in");
  for (const auto& row : status.points) {
    ++counts[row.state];
    states += fmt::format("epochcast_point_state{{{},point=\"{}\",state=\"{}\"}} 1\n", folder,
                          label_text(row.point), row.state);
  }
  auto text = metric_head("epochcast_status_timestamp_seconds", "When the states were read");
  text += fmt::format("epochcast_status_timestamp_seconds{{{}}} {:.0f}\n", folder,
                      seconds_since_1970(status.page.at).value_or(0));
  text += metric_head("epochcast_points", "Points by state");
  for (const auto& [state, name] : texts_of(Tag<PointState>{})) {
    text += fmt::format("epochcast_points{{{},state=\"{}\"}} {}\n", folder, name,
                        counts[std::string(name)]);
  }
  text += status.points.empty() ? "" : states;
  for_each_field<StatusRow>([&](const auto& field) {
    if constexpr (is_number<decltype(field)>) {
      const auto name = metric_name(field.name);
      std::string lines;
      for (const auto& row : status.points) {
        if (const auto value = json_value(row.*field.member); !value.is_null()) {
          lines += fmt::format("{}{{{},point=\"{}\"}} {}\n", name, folder, label_text(row.point),
                               format_shortest(value.template get<double>()));
        }
      }
      text += lines.empty() ? "" : metric_head(name, field.meaning) + lines;
    }
  });
  return text;
}

table::Table status_table(const StatusForPrograms& status, const std::string& title) {
  table::Columns<StatusRow> columns;
  for_each_field<StatusRow>([&](const auto& field) {
    const std::string name(field.name);
    if constexpr (is_number<decltype(field)>) {
      const int decimals = name.ends_with("_per_s") || name == "mfu_percent" ? 1 : 0;
      columns.add({name, name, field.unit == "1" ? "" : std::string(field.unit),
                   name == "done_ratio" ? 3 : decimals, field.member});
    } else {
      columns.add({name, name, [member = field.member](const StatusRow& row) {
                     return table::text_cell(row.*member);
                   }});
    }
  });
  return table::make_table("status", title, columns, status.points);
}

std::string status_reference() {
  Json schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", status_schema},
      {"description",
       "What `epochcast-jobs status OUT --format json` prints. A number that is not known is null, "
       "a text that is not known is empty. `--metrics-out FILE.prom` writes the numbers of points "
       "as gauges: elapsed_s is " +
           metric_name("elapsed_s") + "."}};
  schema.update(object_schema<StatusPage>());
  schema["properties"]["schema"]["const"] = status_schema;
  schema["properties"]["points"] = {{"type", "array"}, {"items", object_schema<StatusRow>()}};
  schema["required"].push_back("points");
  return schema.dump(1) + "\n";
}

}  // namespace epochcast::jobs
