// The manual page and the section of the reference, made from the table of subcommands.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/cli/subcommand.hpp"
#include "src/base/core/version.hpp"

namespace epochcast::cli {
namespace {

/// Escapes text for man(7): no line is read as a request, no hyphen becomes a dash.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += std::string("\\&") + c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string manual_options(const CommandSpec& spec) {
  std::string text;
  for (const auto& option : spec.options) {
    const auto comma = option.name.find(',');
    const auto letter = comma == std::string::npos
                            ? ""
                            : fmt::format("\\fB\\-{}\\fR, ", option.name.substr(comma + 1));
    const auto value = option.value.empty() ? "" : fmt::format("=\\fI{}\\fR", roff(option.value));
    const auto preset = option.value.empty() || option.default_value.empty()
                            ? ""
                            : fmt::format(" Default: {}.", roff(option.default_value));
    text += fmt::format(".TP\n{}\\fB\\-\\-{}\\fR{}\n{}.{}\n", letter, roff(option.long_name()),
                        value, roff(option.meaning), preset);
  }
  return text;
}

std::string manual_section(const CommandSpec& spec) {
  auto text = fmt::format("{}\n.PP\nUsage:\n.B {}\n{}", roff(spec.summary), roff(spec.usage),
                          manual_options(spec));
  return spec.example.empty()
             ? text
             : text + fmt::format(".PP\nExample:\n.PP\n.EX\n{}\n.EE\n", roff(spec.example));
}

bool has_option(const std::vector<Option>& options, const Option& option) {
  return std::ranges::any_of(options, [&](const Option& other) {
    return other.name == option.name && other.value == option.value &&
           other.meaning == option.meaning && other.default_value == option.default_value;
  });
}

/// The options that several subcommands have with the same meaning and default, each once.
std::vector<Option> shared_options(const Program& program) {
  std::vector<Option> seen = program.settings;
  std::vector<Option> shared;
  for (const auto& command : program.commands) {
    for (const auto& option : command.spec.options) {
      auto& list = has_option(seen, option) ? shared : seen;
      if (!has_option(list, option)) {
        list.push_back(option);
      }
    }
  }
  return shared;
}

std::string option_item(const Option& option) {
  const auto comma = option.name.find(',');
  const auto letter =
      comma == std::string::npos ? "" : fmt::format("-{}, ", option.name.substr(comma + 1));
  const auto preset = option.default_value.empty() || option.value.empty()
                          ? ""
                          : fmt::format(" [{}]", option.default_value);
  return fmt::format("* `{}--{}{}{}`: {}{}\n", letter, option.long_name(),
                     option.value.empty() ? "" : " ", option.value, option.meaning, preset);
}

/// The help of `spec`, with only the names of the options in `shared`.
std::string command_section(const std::string& heading, CommandSpec spec,
                            const std::vector<Option>& shared) {
  std::string names;
  for (const auto& option : spec.options) {
    names += has_option(shared, option)
                 ? fmt::format("{} `--{}`", names.empty() ? "" : ",", option.long_name())
                 : "";
  }
  std::erase_if(spec.options, [&](const auto& option) { return has_option(shared, option); });
  const auto text = fmt::format("\n{}\n\n```text\n{}```\n", heading, help_text(spec));
  return names.empty() ? text : text + fmt::format("\nShared options:{}.\n", names);
}

std::string shared_section(const Program& program, const std::vector<Option>& shared) {
  std::string text =
      shared.empty() ? "" : fmt::format("\n### Shared options of {}\n\n", program.name);
  if (!program.settings.empty()) {
    text +=
        "Keys of an experiment are in [experiment.md](experiment.md#parameters-of-a-run), with "
        "`_` in place of `-`.\n\n";
  }
  for (const auto& option : shared) {
    text += has_option(program.settings, option) ? "" : option_item(option);
  }
  return text;
}

}  // namespace

std::string manual_page(const Program& program) {
  auto text = fmt::format(
      ".TH {0} 1 \"\" \"epochcast {1}\" \"Epochcast\"\n.SH NAME\n{2} \\- {3}\n.SH SYNOPSIS\n",
      program.name, tool_version, roff(program.name), roff(program.summary));
  if (program.commands.empty()) {
    text += fmt::format(".B {}\n.SH DESCRIPTION\n{}", roff(program.spec.usage),
                        manual_section(program.spec));
  } else {
    text +=
        fmt::format(".B {}\n.I SUBCOMMAND\n.RI [ options ]\n.SH SUBCOMMANDS\n", roff(program.name));
    for (const auto& command : program.commands) {
      text += fmt::format(".SS {}\n{}", roff(command.name), manual_section(command.spec));
    }
  }
  return text +
         ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nSomething failed.\n.TP\n2\nBad input: an unknown "
         "option, a wrong value, a file that cannot be read.\n.TP\n75\nStopped early; a partial "
         "result is saved.\n";
}

std::string command_reference(const Program& program) {
  if (program.commands.empty()) {
    return fmt::format("## {}\n\n```text\n{}```\n", program.name, help_text(program.spec));
  }
  auto text = fmt::format("## {}\n\n{}\n", program.name, program.summary);
  const auto shared = shared_options(program);
  for (const auto& command : program.commands) {
    text +=
        command_section(fmt::format("### {} {}", program.name, command.name), command.spec, shared);
  }
  return text + shared_section(program, shared);
}

}  // namespace epochcast::cli
