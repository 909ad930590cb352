#include "src/measure/progress/reading/statement.hpp"

#include <array>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/hints.hpp"

namespace epochcast::progress {
namespace {

struct StatementWord {
  Statement what;
  const char* word;   ///< A regular expression, in lower case; it begins a word of the line.
  const char* hints;  ///< One of them is in the line; by '|'.
};

constexpr auto statement_words = std::to_array<StatementWord>(
    {{Statement::new_attempt, "resum|auto-resume", "esum"},
     {Statement::new_attempt, "restart", "estart"},
     {Statement::new_attempt, "requeue", "equeue"},
     {Statement::new_attempt, "continu(?:ing|e) from", "ontinu"},
     {Statement::new_attempt, "load(?:ed|s|ing)? checkpoint", "heckpoint"},
     {Statement::new_attempt, "restor(?:ed|ing) (?:.{0,40} )?from", "estor"},
     {Statement::new_attempt,
      "load(?:ed|s|ing)? "
      "(?:weights|model|state|snapshot)(?![a-z]).*(?<![a-z])(?:epoch|last|latest|step)",
      "oad"},
     {Statement::ended, "slurmstepd: error: .*cancelled", "slurmstepd"},
     {Statement::ended, "srun: (?:job step aborted|force terminated)", "srun: "},
     {Statement::ended, "keyboardinterrupt", "KeyboardInterrupt"},
     {Statement::ended, "(?:killed|terminated)$", "illed|erminated"},
     {Statement::ended, "out of memory: killed|oom-kill|oom_kill", "oom|Out of memory"},
     {Statement::new_attempt, "job starts", "ob starts"},
     {Statement::new_phase, "fold", "Fold|fold |fold:|fold=|FOLD"},
     {Statement::new_phase, "stage", "tage |STAGE"},
     {Statement::new_phase, "phase", "hase |PHASE"},
     {Statement::new_phase, "trial", "Trial|TRIAL"},
     {Statement::new_phase, "split", "Split|SPLIT"},
     {Statement::new_phase, "task", "Task |TASK"},
     {Statement::new_phase, "experiment", "Experi|EXPERIMENT"},
     {Statement::new_phase, "repeat", "Repeat"},
     {Statement::new_phase, "seed", "Seed|SEED"},
     {Statement::new_phase, "round", "Round|ROUND"},
     {Statement::new_phase, "run", "Run |run |RUN"},
     {Statement::new_phase, "model", "Model |MODEL"}});

/// One of the words, as a regular expression.
std::string any_word(Statement what) {
  std::vector<std::string> words;
  for (const auto& row : statement_words) {
    if (row.what == what) {
      words.emplace_back(row.word);
    }
  }
  return "(?<![a-z])(?:" + join(words, "|") + ")";
}

}  // namespace

const std::vector<std::string>& statement_hints() {
  static const auto hints = [] {
    std::vector<std::string> all;
    for (const auto& row : statement_words) {
      const auto of_row = split(row.hints, '|');
      all.insert(all.end(), of_row.begin(), of_row.end());
    }
    // begins_training()
    for (const auto* hint : {"tart train", "egin train", "ing train", "ed train", "raining st",
                             "raining be", "raining ha", "raining."}) {
      all.emplace_back(hint);
    }
    return all;
  }();
  return hints;
}

Statement statement_of(std::string_view text) {
  static const Hints hints(statement_hints());
  static const RegularExpression ended("(?i)" + any_word(Statement::ended));
  static const RegularExpression attempt("(?i)" + any_word(Statement::new_attempt));
  static const RegularExpression no_attempt(
      "(?i)no checkpoint|not resum|resume[=:]|shards|engine run resuming from iteration 0|until "
      "\\d+ epochs$");
  static const RegularExpression phase(R"((?i)^.{0,24}?)" + any_word(Statement::new_phase) +
                                       R"([ :=#\t'"]*\[?\d{1,15}(?![%\d]))");  // 5% is a bar's
  static const RegularExpression epoch(R"((?i)^.{0,64}epoch)");
  if (text.size() > 200 || hints.find(text, 0) == std::string_view::npos) {
    return Statement::none;
  }
  if (ended.find(text)) {
    return Statement::ended;
  }
  if (attempt.find(text) && !no_attempt.find(text)) {
    return Statement::new_attempt;
  }
  return phase.find(text) && !epoch.find(text) ? Statement::new_phase : Statement::none;
}

bool begins_training(std::string_view text) {
  static const RegularExpression form(
      R"((?i)^[^a-z]*(?:now )?(?:start(?:ing|ed)?|begin(?:ning)?|commencing|running|entering) )"
      R"((?:(?:the|model|main) )*(?:train(?:ing)?|fit(?:ting)?|optimi[sz]ation)(?: loop| phase| process)?)"
      R"((?: at step \d+)?(?: \([^()]*\))?[^a-z0-9]*$)"
      R"(|^(?:[^,:;]*[,;])?[^a-z]*(?:training|optimi[sz]ation|fit(?:ting)?)(?: loop)?(?: has)?[ ._](?:starts?|started|begins?|began|begun)(?: now| here)?(?:[^a-z0-9]*$| +[a-z_]+=))"
      R"(|^[^a-z]*training(?: for \d+ epochs)?[^a-z0-9]*$)");
  constexpr std::size_t longest = 80;
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return text.size() <= longest && (has("rain") || has("RAIN") || has("ptimi") || has("fit")) &&
         form.find(text);
}

}  // namespace epochcast::progress
