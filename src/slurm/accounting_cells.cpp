#include "src/slurm/accounting_cells.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "src/base/core/quantity.hpp"
#include "src/base/core/text.hpp"
#include "src/slurm/time.hpp"

namespace epochcast::slurm {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && text.size() <= 18 && std::ranges::all_of(text, is_digit);
}

/// A whole number that no count of resources exceeds.
std::optional<std::int64_t> resource_count(std::string_view text) {
  constexpr std::int64_t largest = 1'000'000'000;
  const auto number = all_digits(text) ? parse_integer(text) : std::nullopt;
  return number && *number <= largest ? number : std::nullopt;
}

/// The number of `digits` at `at`.
int number_at(std::string_view text, std::size_t at, std::size_t digits) {
  return static_cast<int>(parse_integer(text.substr(at, digits)).value_or(-1));
}

/// Whether the text has the digits and separators of `form`: "0000-00-00T00:00". A blank may stand
/// for the T.
bool has_form(std::string_view text, std::string_view form) {
  return std::ranges::equal(text, form, [](char c, char shape) {
    return shape == '0' ? is_digit(c) : c == shape || (shape == 'T' && c == ' ');
  });
}

/// Without "Z", "+0100" or " -08:00" behind the time.
std::string_view without_zone(std::string_view text) {
  const auto at = text.find_first_of("Z+-", std::string_view("0000-00-00T00:00").size());
  if (at == std::string_view::npos) {
    return text;
  }
  const auto zone = text.substr(at);
  const bool is_zone =
      zone == "Z" || has_form(zone.substr(1), "0000") || has_form(zone.substr(1), "00:00");
  return is_zone ? trim(text.substr(0, at)) : text;
}

/// Whether the value of an option is the next word. False for an option without a value, or whose
/// value can only be given as --option=VALUE (sbatch(1) and srun(1), 20.11 to 25.05).
bool takes_next_word(std::string_view option) {
  static const std::set<std::string_view> alone{"consolidate-segments",
                                                "contiguous",
                                                "disable-status",
                                                "exact",
                                                "exclusive",
                                                "external",
                                                "get-user-env",
                                                "help",
                                                "hold",
                                                "ignore-pbs",
                                                "immediate",
                                                "interactive",
                                                "kill-on-bad-exit",
                                                "label",
                                                "multi-prog",
                                                "nice",
                                                "no-allocate",
                                                "no-kill",
                                                "no-requeue",
                                                "overcommit",
                                                "overlap",
                                                "oversubscribe",
                                                "parsable",
                                                "preserve-env",
                                                "propagate",
                                                "pty",
                                                "quiet",
                                                "quit-on-interrupt",
                                                "reboot",
                                                "requeue",
                                                "resv-ports",
                                                "share",
                                                "spread-job",
                                                "stepmgr",
                                                "test-only",
                                                "unbuffered",
                                                "usage",
                                                "use-min-nodes",
                                                "verbose",
                                                "version",
                                                "wait",
                                                "whole",
                                                "x11"};
  if (option.starts_with("--")) {
    const auto name = option.substr(2);
    return name.find('=') == std::string_view::npos && !alone.contains(name);
  }
  constexpr std::string_view short_alone = "EHIKOQVWXZhklsuv";
  return option.size() == 2 && short_alone.find(option[1]) == std::string_view::npos;
}

}  // namespace

std::optional<double> parse_elapsed_s(std::string_view text) {
  const auto dot = text.find('.');
  const auto whole = text.substr(0, dot);
  if (whole.find(':') == std::string_view::npos) {
    return std::nullopt;
  }
  const auto seconds = parse_time_s(whole);
  if (!seconds || dot == std::string_view::npos) {
    return seconds;
  }
  const auto digits = text.substr(dot + 1);
  if (!all_digits(digits)) {
    return std::nullopt;
  }
  return *seconds + static_cast<double>(*parse_integer(digits)) *
                        std::pow(10.0, -static_cast<double>(digits.size()));
}

std::optional<double> parse_limit_s(std::string_view text) {
  const bool is_time = text.find(':') != std::string_view::npos || text == "UNLIMITED";
  return is_time ? parse_time_s(text) : std::nullopt;
}

std::optional<double> parse_stamp_s(std::string_view text) {
  constexpr double latest_s = 1e11;
  if (all_digits(text)) {
    const auto seconds = static_cast<double>(*parse_integer(text));
    return seconds > 0 && seconds < latest_s ? std::optional(seconds) : std::nullopt;
  }
  text = without_zone(text);
  const bool has_seconds = has_form(text, "0000-00-00T00:00:00");
  if (!has_seconds && !has_form(text, "0000-00-00T00:00")) {
    return std::nullopt;
  }
  using namespace std::chrono;
  const year_month_day date{year(number_at(text, 0, 4)),
                            month(static_cast<unsigned>(number_at(text, 5, 2))),
                            day(static_cast<unsigned>(number_at(text, 8, 2)))};
  if (!date.ok() || number_at(text, 0, 4) < 1970) {
    return std::nullopt;
  }
  const auto days = sys_days(date).time_since_epoch();
  return static_cast<double>(duration_cast<seconds>(days).count()) + number_at(text, 11, 2) * 3600 +
         number_at(text, 14, 2) * 60 + (has_seconds ? number_at(text, 17, 2) : 0);
}

bool is_stamp(std::string_view text) {
  return text.empty() || text == "Unknown" || text == "None" || parse_stamp_s(text);
}

Tres parse_tres(std::string_view text) {
  constexpr std::string_view typed = "gres/gpu:";
  Tres tres;
  std::int64_t of_types = 0;
  std::set<std::string> types;
  for (const auto& part : split(text, ',')) {
    const auto equals = part.find('=');
    const auto count =
        equals == std::string::npos ? 0 : resource_count(part.substr(equals + 1)).value_or(0);
    const auto name = part.substr(0, equals);
    if (name == "node") {
      tres.nodes = count;
    } else if (name == "cpu") {
      tres.cpus = count;
    } else if (name == "mem") {
      tres.memory_mib = parse_bytes(part.substr(equals + 1)).value_or(0) / mebibyte;
    } else if (name == "gres/gpu") {
      tres.gpus = count;
    } else if (name.starts_with(typed)) {
      of_types += count;
      types.insert(name.substr(typed.size()));
    }
  }
  tres.gpus = std::max(tres.gpus, of_types);
  tres.gpu = join({types.begin(), types.end()}, "+");
  return tres;
}

std::optional<double> parse_used_mib(std::string_view text) {
  const auto bytes = all_digits(text) ? parse_integer(text) : parse_bytes(text);
  return bytes && *bytes > 0 ? std::optional(static_cast<double>(*bytes) / mebibyte) : std::nullopt;
}

std::string_view tres_value(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    if (part.starts_with(name) && part.substr(name.size()).starts_with('=')) {
      return part.substr(name.size() + 1);
    }
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return "";
}

std::string script_of(std::string_view submit_line, std::string_view job_name) {
  auto rest = trim(submit_line);
  const auto take_word = [&rest] {
    const auto end = std::min(rest.find_first_of(" \t\n"), rest.size());
    const auto word = rest.substr(0, end);
    rest = trim(rest.substr(end));
    return word;
  };
  const auto command = take_word();
  const auto program = command.substr(command.rfind('/') + 1);
  if (program != "sbatch" && program != "srun") {
    return "";
  }
  while (rest.starts_with('-') && rest != "-") {
    constexpr std::string_view wrap = "--wrap";
    if (rest.starts_with(wrap) && rest.size() > wrap.size()) {
      return std::string(trim(rest.substr(wrap.size() + 1)));
    }
    for (const std::string_view option : {"-J", "--job-name"}) {
      const auto value = rest.starts_with(option) ? rest.substr(option.size()) : "";
      if (!job_name.empty() && value.size() > 1 && value.substr(1).starts_with(job_name)) {
        rest = value.substr(1 + job_name.size());
        job_name = "";
      }
    }
    rest = trim(rest);
    if (!rest.starts_with('-')) {
      break;
    }
    const auto option = take_word();
    if (option == "--") {
      break;
    }
    if (takes_next_word(option)) {
      take_word();
    }
  }
  return std::string(rest);
}

std::optional<JobId> parse_job_id(std::string_view text) {
  const auto dot = text.find('.');
  JobId id{.job = std::string(text.substr(0, dot)), .is_step = dot != std::string_view::npos};
  if (const auto plus = id.job.find('+'); plus != std::string::npos) {
    const auto component = id.job.substr(plus + 1);
    if (!all_digits(component)) {
      return std::nullopt;
    }
    id.is_component = component.find_first_not_of('0') != std::string::npos;
    id.job.resize(plus);
  }
  const auto line = id.job.find('_');
  if (!all_digits(std::string_view(id.job).substr(0, line)) ||
      (id.is_step && dot + 1 == text.size())) {
    return std::nullopt;
  }
  if (line == std::string::npos) {
    return id;
  }
  const auto element = std::string_view(id.job).substr(line + 1);
  const bool pending = element.starts_with('[');
  return pending || all_digits(element) ? std::optional(id) : std::nullopt;
}

}  // namespace epochcast::slurm
