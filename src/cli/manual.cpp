// The manual page and the section of the reference, made from the table of subcommands.
#include <fmt/format.h>

#include "src/cli/subcommand.hpp"
#include "src/core/version.hpp"

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

std::string help_block(const std::string& heading, const std::string& help) {
  return fmt::format("{}\n\n```text\n{}```\n", heading, help);
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
  auto text =
      help_block(fmt::format("## {}\n\n{}", program.name, program.summary), overview(program));
  for (const auto& command : program.commands) {
    text += "\n" + help_block(fmt::format("### {} {}", program.name, command.name),
                              help_text(command.spec));
  }
  return text;
}

}  // namespace epochcast::cli
