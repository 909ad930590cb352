#include "src/measure/progress/lines/plain_text.hpp"

#include <array>

#include "src/base/core/regular_expression.hpp"
#include "src/measure/progress/lines/hints.hpp"
#include "src/measure/progress/lines/json_message.hpp"
#include "src/measure/progress/lines/line.hpp"

namespace epochcast::progress {
namespace {

/// What stands for `english`, as a regular expression; `number` is a counter in it.
struct Translation {
  std::string english;
  RegularExpression form;
};

const std::vector<Translation>& translations() {
  const std::string begin = R"((?i)^(?<before>.*?)(?<!\p{L})(?:)";
  const std::string counter = R"()(?<after>[ :=#.\[(]*\d.*))";
  static const std::array translations{
      Translation{"epoch",
                  RegularExpression(begin +
                                    "epoche|époque|epoque|época|epoca|epok[aięąu]|эпох[аиуы]"
                                    "|エポック|에포크|에폭|轮次|輪次" +
                                    counter)},
      Translation{"step",
                  RegularExpression(begin +
                                    "schritt|paso|pas|étape|etape|krok|шаг|步数|步驟|步|ステップ"
                                    "|스텝|passo|stap|adım" +
                                    counter)},
      Translation{
          "epoch ",
          RegularExpression(
              R"(^(?<before>.*?)第 ?(?<number>\d{1,9}) ?(?:轮|輪|个?周期|エポック|世代)(?<after>.*))")},
      Translation{"validation",
                  RegularExpression(
                      begin + "auswertung|validierung|evaluierung|évaluation|validación|evaluación"
                              "|validação|avaliação|walidacj[aię]|ewaluacj[aię]|valutazione"
                              "|validazione|оценка|валидаци[яи]|проверка|开始验证|开始评估|验证"
                              "|评估|検証|評価|검증|평가)(?<after>.*)")},
      Translation{
          "train ",
          RegularExpression(begin +
                            "entrenamiento|entraînement|entrainement|treino|treinamento"
                            "|addestramento|treningu?|trainings(?=zeit|dauer)|обучени[ея]|学习|学習"
                            "|训练|訓練|훈련|학습)(?<after>.*)")},
      Translation{
          "/",
          RegularExpression(
              R"((?i)^(?<before>.*(?:epoch|step)[ :=#.\[(]*\d{1,9}) (?:von|sur|de|di|из|z|av|van) (?<after>\d.*))")}};
  static const std::vector<Translation> all(translations.begin(), translations.end());
  return all;
}

std::optional<std::string> in_english(std::string_view line) {
  static const Hints hints(foreign_hints());
  if (line.size() > longest_line || hints.find(line, 0) == std::string_view::npos) {
    return std::nullopt;
  }
  std::optional<std::string> text;
  for (const auto& [english, form] : translations()) {
    const std::string_view now = text ? std::string_view(*text) : line;
    if (const auto match = form.find(now)) {
      text = std::string(match->text("before"))
                 .append(english)
                 .append((*match)["number"].value_or(""))
                 .append(match->text("after"));
    }
  }
  return text;
}

/// Without the escape sequences that colour a terminal's text: "ESC[32m".
std::optional<std::string> without_colours(std::string_view text) {
  constexpr std::string_view begin = "\x1b[";
  auto at = text.find(begin);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  std::string plain;
  std::size_t last = 0;
  for (; at != std::string_view::npos; at = text.find(begin, at + 1)) {
    const auto end = text.find_first_not_of("0123456789;", at + begin.size());
    if (end < text.size() && text[end] == 'm') {
      plain += text.substr(last, at - last);
      last = end + 1;
    }
  }
  return plain.append(text.substr(last));
}

}  // namespace

const std::vector<std::string>& foreign_hints() {
  static const std::vector<std::string> hints{
      "ntrenamiento", "ntraîne",    "ntraine", "reino",  "reinament",  "ddestrament", "rening",
      "ainingsz",     "ainingsd",   "бучени",  "学习",   "学習",       "训练",        "訓練",
      "훈련",         "학습",       "poche",   "poque",  "poca",       "poka",        "poki",
      "chritt",       "paso",       "krok",    "Krok",   "tape",       "passo",       "uswertung",
      "alidierung",   "valuierung", "alidac",  "valuac", "alidazione", "alutazione",  "alidaç",
      "valiaç",       "walidac",    "waluac",  "Эпох",   "эпох",       "ЭПОХ",        "Шаг",
      "шаг",          "аци",        "роверка", "ценка",  "エポック",   "ステップ",    "検証",
      "評価",         "에포크",     "에폭",    "스텝",   "검증",       "평가",        "轮",
      "輪",           "周期",       "世代",    "步",     "验证",       "评估",        "valuation"};
  return hints;
}

std::optional<std::string> plain_line(std::string_view line) {
  auto message = json_message(line);
  auto english = in_english(message ? *message : line);
  return english ? english : message;
}

std::optional<std::string> plain_text(std::string_view text) {
  auto colourless = without_colours(text);
  std::string_view rest = colourless ? *colourless : text;
  std::string plain;
  bool changed = false;
  while (!rest.empty()) {
    const bool ended = rest.find('\n') != std::string_view::npos;
    const auto line = take_line(rest);
    const auto other = plain_line(line);
    changed = changed || other;
    plain.append(other ? *other : line).append(ended ? "\n" : "");
  }
  return changed ? std::optional(std::move(plain)) : colourless;
}

}  // namespace epochcast::progress
