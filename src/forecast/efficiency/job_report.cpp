#include "src/forecast/efficiency/job_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"
#include "src/record/json_lines.hpp"

namespace epochcast::efficiency {
namespace {

std::string duration(double seconds) {
  return format_duration(std::round(seconds));
}

std::string whole(double value) {
  return fmt::format("{:.0f}", value);
}
std::string one_digit(double value) {
  return fmt::format("{:.1f}", value);
}
std::string gib(double bytes) {
  return fmt::format("{:.2f}", bytes / gibibyte);
}

std::string share_text(const Use& use) {
  const auto share = use.share();
  return share ? fmt::format(" ({:.0f} %)", 100 * *share) : "";
}

/// "31s of 1h (1 %)", "31s"; "" if it is not known what was used.
std::string of_asked(const Use& use, std::string (*used)(double), std::string (*asked)(double),
                     const std::string& unit) {
  if (!use.used) {
    return "";
  }
  const auto of = use.asked ? " of " + asked(*use.asked) : "";
  return used(*use.used) + of + unit + share_text(use);
}

void add(std::vector<std::string>& parts, const std::string& part) {
  if (!part.empty()) {
    parts.push_back(part);
  }
}

bool has_gpus(const JobUse& use) {
  return use.gpus.asked.value_or(0) > 0;
}

std::string gpu_text(const JobUse& use) {
  std::vector<std::string> parts;
  add(parts, of_asked(use.gpus, one_digit, whole, " busy"));
  add(parts, of_asked(use.gpu_memory_bytes, gib, gib, " GiB of a GPU's memory"));
  return parts.empty() ? "" : "GPUs: " + join(parts, ", ");
}

/// What is missing, and why.
std::string unknown_text(const JobUse& use) {
  std::vector<std::string> parts;
  const auto note = [&](const std::string& name, const Use& of) {
    if (!of.used && !of.unknown.empty()) {
      parts.push_back(name + ": " + of.unknown);
    }
  };
  note("time", use.time_s);
  note("CPUs", use.cpus);
  note("memory", use.memory_bytes);
  note("GPUs", use.gpus);
  return join(parts, "; ");
}

double of_task(double of_job, const JobUse& use) {
  return std::ceil(of_job / static_cast<double>(use.tasks));
}

/// Of a long run little is kept in memory: the job is charged for it.
JobUse use_of_lines(const std::string& record) {
  JobSamples samples;
  const auto take = [&](record::Record& rows) {
    samples.add(rows);
    rows.telemetry.clear();
    rows.telemetry_gpus.clear();
  };
  const auto lines = record::read_json_lines(
      record::json_lines_path(record),
      {.without = {"iterations", "telemetry_cpus", "operators", "stream_batches"}, .taken = take});
  return use_of(lines.record, samples);
}

}  // namespace

std::string use_text(const JobUse& use) {
  std::vector<std::string> parts;
  add(parts, of_asked(use.time_s, duration, duration, ""));
  add(parts, of_asked(use.cpus, one_digit, whole, " CPUs"));
  add(parts, of_asked(use.memory_bytes, gib, gib, " GiB"));
  return parts.empty() ? "" : "used " + join(parts, ", ");
}

std::string cpu_text(const JobUse& use) {
  if (!use.cpus.used) {
    return "";
  }
  auto text = "CPUs: " + of_asked(use.cpus, one_digit, whole, " busy");
  if (use.task_cpus) {
    text += fmt::format(", at most {:.1f} at once{}", *use.task_cpus,
                        use.tasks > 1 ? " in a task" : "");
  }
  if (use.data_wait) {
    text +=
        fmt::format("; data loading took {:.0f} % of the time of the epochs", 100 * *use.data_wait);
  }
  if (const auto gpus = use.gpus.share(); gpus && *gpus < idle_share) {
    text += fmt::format("; the GPU waited {:.0f} % of the time", 100 * (1 - *gpus));
  }
  if (use.cpus.next) {
    const auto share = use.cpus.share();
    text += fmt::format("; {} {}", share && *share >= busy_share ? "more may help than" : "ask for",
                        whole(*use.cpus.next));
  }
  return text;
}

std::string next_text(const JobUse& use) {
  std::vector<std::string> parts;
  if (use.time_s.next) {
    parts.push_back("time " + duration(*use.time_s.next));
  }
  if (use.cpus.next) {
    parts.push_back("cpus " + whole(of_task(*use.cpus.next, use)));
  }
  if (use.memory_bytes.next) {
    parts.push_back("memory " + format_bytes(static_cast<std::int64_t>(*use.memory_bytes.next)));
  }
  if (use.gpus.next) {
    parts.push_back("gpus " + whole(of_task(*use.gpus.next, use)));
  }
  return join(parts, ", ");
}

std::vector<std::string> report_lines(const JobUse& use) {
  if (!use.time_s.asked && !use.cpus.asked && !use.memory_bytes.asked) {
    return {};
  }
  std::vector<std::string> lines;
  add(lines, use_text(use));
  add(lines, cpu_text(use));
  add(lines, has_gpus(use) ? gpu_text(use) : "");
  add(lines, use.limited_by.empty() ? "" : "limited by " + use.limited_by);
  if (const auto next = next_text(use); !next.empty()) {
    const bool is_after_kill = use.cause == run::FailureCause::out_of_memory;
    lines.push_back(fmt::format(
        "ask next time for {} ({})", next,
        is_after_kill
            ? fmt::format("{:g} times what it had", after_kill)
            : fmt::format("the most that was used; time and memory: {:.0f} % more", 100 * margin)));
  }
  if (const auto unknown = unknown_text(use); !unknown.empty()) {
    lines.push_back("not known: " + unknown);
  }
  return lines;
}

ReportAtEnd::~ReportAtEnd() {
  if (record_.empty()) {
    return;
  }
  try {
    for (const auto& line : report_lines(use_of_lines(record_))) {
      fmt::print(stderr, "epochcast: {}\n", line);
    }
  } catch (const std::exception&) {  // the record tells more than the report
  }
}

}  // namespace epochcast::efficiency
