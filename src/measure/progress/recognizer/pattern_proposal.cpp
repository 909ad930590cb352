#include "src/measure/progress/recognizer/pattern_proposal.hpp"

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {

void PatternProposal::read(std::string_view bytes, double at_s, const Plain& plain) {
  constexpr double first_bytes = 262'144;
  constexpr double bytes_per_s = 4096;
  if (static_cast<double>(looked_at_) >= first_bytes + bytes_per_s * at_s) {
    return;
  }
  looked_at_ += bytes.size();
  splitter_.read(bytes, at_s, [&](const Line& line) {
    const auto text = plain(line.text);
    const std::string_view words = text ? *text : line.text;
    if (static_cast<double>(looked_at_) <= first_bytes) {
      sample_.push_back({line.at_s, std::string(line.text)});
    }
    shapes_.read(words.substr(take_stamp(words).size));
  });
}

std::string PatternProposal::text(const RecognizerOptions& options) const {
  for (const auto& [pattern, values, of_epochs] : shapes_.proposals()) {
    // A step that a pattern reads has ended, and is one of the training.
    static const RegularExpression begins(R"((?i)(?<![a-z])(?:start|begin|enter))");
    const auto step = pattern.find("(?<step>");
    const auto words = pattern.substr(0, step == std::string::npos ? 0 : step);
    if (of_evaluation(words) || begins.find(words) || !leads_to_rows(pattern, sample_, options)) {
      continue;
    }
    const bool says_so = of_epochs || pattern.find("(?<epoch>") != std::string::npos;
    const bool total = pattern.find("(?<steps>") != std::string::npos;
    return shell_quote(pattern) + ", which reads " + values +
           (says_so ? ""
            : total ? " (if these are epochs, write (?<epoch> and (?<epochs> there)"
                    : " (if these are epochs, write (?<epoch> there)");
  }
  return "'REGEX' with a group (?<epoch>...) for the number of an epoch, and (?<seconds>...) for "
         "its duration if the line states it";
}

}  // namespace epochcast::progress
