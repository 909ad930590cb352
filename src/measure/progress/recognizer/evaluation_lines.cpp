#include "src/measure/progress/recognizer/evaluation_lines.hpp"

#include <algorithm>
#include <array>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/hints.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {

const std::vector<std::string>& evaluation_hints() {
  static const std::vector<std::string> hints{
      "eval", "Eval", "EVAL", "val",    "Val",     "VAL",  "test", "Test",    "TEST",   "nference",
      "dev",  "Dev",  "DEV",  "coring", "ecoding", "held", "hold", "accurac", "metrics"};
  return hints;
}

namespace {

constexpr std::size_t longest = 160;

/// "Running evaluation on dev", "Validating ...", "[eval] start", "evaluation phase", "test".
RegularExpression announcement() {
  const std::string doing =
      R"((?<![a-z])(?:(?:evaluating|validating|scoring|decoding|testing)(?![a-z]))"
      R"(|(?:rolling out|running|collecting|playing) (?:\d+ )?(?:evaluation|eval|test) (?:episode|rollout|game|trajector))";
  const std::string begun =
      R"(|(?:start|begin|run|perform|comput|calculat|enter|launch|do)[a-z]* )"
      R"((?:(?:of|on|the|a|full|model|current|periodic) )*)"
      R"((?:evaluation|eval|validation|val|dev|test|testing|inference|(?:validation |test |dev )?)"
      R"((?:metrics|accuracy))(?![a-z]))";
  const std::string begins = R"(|(?:evaluation|eval|validation|valid|val|testing|test|dev)[])]?)"
                             R"((?: set| split| phase| loop| round| pass)?(?::|,| -)? *)"
                             R"((?:start|begin|running|phase|pass|\.\.|…)))";
  const std::string whole_line =
      R"(|^(?:\W*(?:main|\w*process|\w*thread|worker|rank)[\w-]*\W+)?\W*(?:[a-z]+-)?)"
      R"((?:evaluation|evaluate|eval|validation|validate|validating|test|testing|dev))"
      R"((?: \p{L}+){0,3}(?: \d+ \p{L}+)?\W*$)";
  const std::string on_the_data =
      R"(|^[^\d]*(?:on|over|of) (?:the )?)"
      R"((?:dev|val|valid|validation|test|held-?out|hold-?out)(?: set| data| split)?[\W_]*$)";
  return RegularExpression("(?i)" + doing + begun + begins + whole_line + on_the_data);
}

/// Whether the line says so, and states no value.
bool announces(std::string_view text) {
  static const Hints hints(evaluation_hints());
  if (text.size() > longest || hints.find(text, 0) == std::string_view::npos) {
    return false;
  }
  static const auto form = announcement();
  static const RegularExpression other(
      R"((?i)%\||it/s|[=:] ?-?\d*\.\d|\d\.\d{2}|(?<![a-z])(?:every|each|skip|will|disabl|interval|final|best|load)"
      R"(|no |not |if |dataset|sampler|config))");
  /// "epoch 3: computing CER on dev"
  static const RegularExpression place(R"((?i)^\W*epoch \d+(?:/\d+)?\W+(?<rest>.*))");
  if (const auto match = place.find(text)) {
    text = match->text("rest");
  }
  /// "train loss: 2.65, start validation...": what ends tells its value.
  static const RegularExpression last(
      R"((?i)[,;] *(?:(?:now |then )?(?:start|begin|run)[a-z]* )?(?:validat|evaluat|test)[a-z]*(?: on \w+(?: \w+)?)?[ .…]*$)");
  if (last.find(text)) {
    return true;
  }
  static const RegularExpression ended(
      R"((?i)(?:evaluat|valid|test|eval)[a-z]*[ :]+(?:\w+ )?(?:finish|complet|done|ended|took)|)"
      R"((?:finish|complet|done|ended)[a-z]* (?:with )?(?:the )?(?:evaluat|valid|test))");
  return form.find(text) && !other.find(text) && !ended.find(text);
}

/// "Epoch 3", "step 50/200", "batch 7": where the training is.
bool names_training(std::string_view text) {
  static const RegularExpression form(
      R"((?i)(?<![a-z@])(?<!at )(?:epoch|step|iter|batch|update)[a-z]*(?:\([a-z]+\))?[ :=#\t'"\[(]*\d)");
  const auto begin = text.substr(0, longest);
  return form.find(begin) && !of_evaluation(begin);
}

/// "valid loss 0.5": not "eval 10/50 loss 0.5", which goes on.
bool tells_values(std::string_view text) {
  static const RegularExpression form(R"(^(?!.*\d ?/ ?\d).*(?:\d\.\d|\d ?%))");
  return form.find(text.substr(0, longest)).has_value();
}

/// "Traceback (most recent call last):", "RuntimeError: ...", "Killed": it did not come to its end.
bool names_failure(std::string_view text) {
  static const RegularExpression form(
      R"(^\W*(?:Traceback|Killed|Terminated|Aborted|slurmstepd|srun: |[\w.]+(?:Error|Exception|Interrupt)\b|Segmentation fault))");
  return form.find(text.substr(0, longest)).has_value();
}

/// "Saving checkpoint to last.pt", "model saved": what comes after an evaluation and is none.
bool names_saving(std::string_view text) {
  static const RegularExpression form(
      R"((?i)(?<![a-z])(?:sav(?:e|ed|es|ing)|writ(?:e|es|ing|ten)|wrote|stor(?:e|ed|ing))(?![a-z]).*(?:model|checkpoint|ckpt|weights|state|snapshot|\.pt|\.h5)|)"
      R"((?:model|checkpoint|ckpt|weights|state|snapshot)s?(?: \S+)? (?:was |is |has been )?(?:saved|written|stored)|)"
      R"(sauvegard|enregistr|gespeichert|speicher[ent]|guarda(?:d|nd)|salva(?:t|nd)|сохран|保存|저장)");
  return form.find(text.substr(0, longest)).has_value();
}

/// Of the words of the line, without its numbers: lines of one print statement have the same.
std::uint64_t hash_of_words(std::string_view text) {
  constexpr std::size_t begin = 48;
  std::array<char, begin> words{};
  const auto end = std::ranges::copy_if(text.substr(0, begin), words.begin(), [](const char c) {
                     return !is_digit(c) && c != '.' && c != ' ';
                   }).out;
  return fnv1a({words.data(), std::size_t(end - words.begin())});
}

}  // namespace

InEvaluation EvaluationLines::read(std::string_view text) {
  constexpr std::size_t most_shapes = 512;
  if (announces(text)) {
    open_ = true;
    told_ = false;
    return InEvaluation::begins;
  }
  const auto words = hash_of_words(text);
  const bool tells = tells_values(text);
  if (open_ && (tells || !told_) && !names_training(text) && !names_saving(text) &&
      !names_failure(text) && !outside_.contains(words)) {
    told_ = told_ || (tells && of_evaluation(text.substr(0, longest)));
    return InEvaluation::goes_on;
  }
  open_ = false;
  if (outside_.size() < most_shapes) {
    outside_.insert(words);
  }
  return InEvaluation::no;
}

}  // namespace epochcast::progress
