#include "src/measure/progress/lines/plain_text.hpp"

#include <array>

#include "src/base/core/regular_expression.hpp"
#include "src/measure/progress/lines/hints.hpp"
#include "src/measure/progress/lines/json_message.hpp"
#include "src/measure/progress/lines/line.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

/// Words of other languages, as a regular expression in small letters.
struct Foreign {
  const char* english;
  const char* words;
  bool counts = false;  ///< A number follows.
};

constexpr auto foreign = std::to_array<Foreign>(
    {{"epoch",
      "epoche|époque|epoque|época|epoca|epok[aięąu]|epoce|epokach|эпох[аиуы]|エポック|에포크|에폭|"
      "轮次|輪次",
      true},
     {"step",
      "schritt|paso|pas|étape|etape|krok|шаг|步数|步驟|步|批次|ステップ|스텝|passo|stap|adım|"
      "itération|iteración|iteração|iterazione|iteracja|итераци[яи]",
      true},
     {"batch", "paczka|lot|lote|minilote|lotto|partia", true},
     {"lr",
      "lernrate|taux d.apprentissage|tasa de aprendizaje|taxa de aprendizado|tasso di "
      "apprendimento|"
      "学习率|学習率"},
     {"validation start", "开始(?:验证|评估|测试)"},
     {"took", "levou|durou|a duré|dauerte|tardó|ha impiegato|заняло?"},
     {"end of ", "fin (?:de l.|de la|de|du) ?(?=entra|valid)|ende (?:der|des)(?= train| valid)"},
     {"train finished in", "zakończono uczenie w"},
     {"validation after", "walidacja po"},
     {"train finished", "学習終了|训练(?:结束|完成)"},
     {"validation loss",
      "p[ée]rdida (?:de (?:la )?)?validaci[óo]n|perte (?:de )?validation|perda (?:de "
      ")?valida[çc][ãa]o"},
     {"train loss",
      "p[ée]rdida (?:de(?:l)? )?entrenamiento|perte (?:d.)?entra[iî]nement|perda (?:de )?treino"},
     {"train ", "entrenando|treinando"},
     {"validating", "validando|evaluando|avaliando|valutando|validiere|evaluiere"},
     {"test ", "测试|測試"},
     {"total ", "累计|累計"},
     {"finished in",
      "(?:beendet|abgeschlossen|fertig) (?:nach|in)|terminée? en|terminad[oa] en|"
      "(?:finalizad|concluíd)[oa] em|(?:conclus|completat)[oa] in|завершен[ао]? за"},
     {"finished",
      "終了|结束|完了|beendet|abgeschlossen|terminée?|terminad[oa]|finalizad[oa]|concluíd[oa]"
      "|completat[oa]|conclus[oa]|завершен[ао]?|закончен[ао]?"},
     {"validation ", "validierungs(?=\\p{L})|valid\\.-(?=\\p{L})|val\\.-(?=\\p{L})"},
     {"validation",
      "auswertung|validierung|evaluierung|évaluation|validación|evaluación|validação|avaliação"
      "|walidacj[aię]|ewaluacj[aię]|valutazione|validazione|оценка|валидаци[яи]|проверка|验证|评估|"
      "検証"
      "|評価|검증|평가"},
     {"train ",
      "entrenamiento|entra[iî]nement|apprentissage|treino|treinamento|addestramento|treningu?"
      "|trainings(?=zeit|dauer|verlust|fehler|genauigkeit|loss)|обучени[ея]|学习(?!率)|学習(?!率)|"
      "训练|訓練|"
      "훈련|학습"},
     {"start",
      "старт|inizio|inicio|début|rozpoczę\\p{L}*|нач(?:ал|ина)\\p{L}*|beginnt|startet|gestartet|"
      "begonnen|commence|"
      "débute|comienza|"
      "empieza|"
      "inizia|開始|开始|"
      "시작"}});

/// What is written otherwise: "第 3 轮", "第100/300步", "ep 3", "1 von 6". `number` is kept.
struct Translation {
  std::string english;
  RegularExpression form;
};

std::vector<Translation> translations() {
  std::vector<Translation> all;
  for (const auto& [english, words, counts] : foreign) {
    all.push_back(
        {english, RegularExpression(R"((?i)^(?<before>.*?)(?<!\p{L})(?:)" + std::string(words) +
                                    ")(?<after>" + (counts ? R"([ :=#.\[(]*\d.*))" : ".*)"))});
  }
  all.push_back(
      {"start ", RegularExpression("(?i)^(?<before>.*?)(?<!\\p{L})start (?:la|el|a|o|die|der|de) "
                                   "(?<after>epoch.*)")});
  all.push_back(  // MONAI's tutorials
      {" took",
       RegularExpression(
           R"(^(?<before>\W*time consuming of (?:epoch \d{1,9}|validation)) is(?<after>:.*))")});
  const auto add = [&](const char* english, const std::string& form) {
    all.push_back({english, RegularExpression(form + "(?<after>.*)")});
  };
  add("epoch ",
      R"(^(?<before>.*?)第 ?(?<number>\d{1,9}(?: ?/ ?\d{1,9})?) ?(?:轮|輪|个?周期|个? ?epoch|エポック|世代))");
  add(" step ", R"(^(?<before>.*)第(?<number>\d{1,9} ?/ ?\d{1,9}) ?(?:步|批次?|次))");
  add("epoch ",
      R"((?i)^(?<before>\W{0,12}(?:[\d:.]+\W+)?(?:.{1,80}[]:|>)-] )?)ep\.?[ :=#]{1,3}(?<number>\d{1,9})(?!.*(?:reward|return|score|episode))(?=.*(?<![a-z])(?:loss|step|it|iter|upd|batch(?:es)?|train(?:ing)?|objective|cost|err(?:or)?|acc(?:uracy)?|nll|ppl|elbo|kl|recon|ms[es]|mae|auc|f1|psnr|dice|iou|bleu|wer|lr|start(?:ed)?|begin|go|test|val|valid|validation|dev|[DG])(?![a-z])))");
  all.push_back(
      {"/",
       RegularExpression(
           R"((?i)^(?<before>.*(?:epoch|step|batch|iter)[ :=#.\[(]*\d{1,9}) +(?:von|sur|de|di|из|z|av|van) +(?<after>\d.*))")});
  return all;
}

/// "，" is ", ", "：" is ": ".
std::optional<std::string> with_narrow_signs(std::string_view line) {
  constexpr auto signs = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"，", ", "}, {"：", ": "}, {"（", " ("}, {"）", ") "}, {"；", "; "}});
  if (line.find("\xef\xbc") == std::string_view::npos) {
    return std::nullopt;
  }
  std::string text(line);
  for (const auto& [wide, narrow] : signs) {
    for (auto at = text.find(wide); at != std::string::npos; at = text.find(wide, at)) {
      text.replace(at, wide.size(), narrow);
    }
  }
  return text;
}

std::optional<std::string> in_english(std::string_view line) {
  static const Hints hints(foreign_hints());
  const bool begins = line.starts_with("ep") || line.starts_with("Ep") || line.starts_with("EP");
  const bool may = (begins && line.size() > 2 && !is_letter(line[2])) ||
                   hints.find(line, 0) != std::string_view::npos;
  if (line.size() > longest_line || !may) {
    return std::nullopt;
  }
  auto text = with_narrow_signs(line);
  for (const std::string_view box : {"┌ Info: ", "│ ", "└ "}) {  // Julia's @info
    text =
        !text && line.starts_with(box) ? std::optional(std::string(line.substr(box.size()))) : text;
  }
  static const auto all = translations();
  for (const auto& [english, form] : all) {
    constexpr int most = 4;  // "perda treino: 1,55 | tempo de treino: 2 min"
    for (int i = 0; i < most; ++i) {
      const std::string_view now = text ? std::string_view(*text) : line;
      const auto match = form.find(now);
      if (!match) {
        break;
      }
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
      " ep ",         " Ep ",       " EP ",       " ep:",         " Ep:",        " ep=",
      " von ",        " sur ",      "poche",      "poque",        "poca",        "poka",
      "poki",         "Эпох",       "эпох",       "ЭПОХ",         "エポック",    "에포크",
      "에폭",         "轮",         "輪",         "周期",         "世代",        "chritt",
      "paso",         "tape",       "krok",       "Krok",         "Шаг",         "шаг",
      "步",           "ステップ",   "스텝",       "passo",        "uswertung",   "alidierung",
      "valuierung",   "évalu",      "Évalu",      "alidac",       "valuac",      "alidaç",
      "valiaç",       "alidazione", "alutazione", "ценка",        "аци",         "роверка",
      "验证",         "评估",       "検証",       "評価",         "검증",        "평가",
      "ntrenamiento", "ntrain",     "ntraîn",     "pprentissage", "reino",       "reinament",
      "ddestrament",  "rening",     "ainingsz",   "ainingsd",     "ainingsv",    "ainingsf",
      "ainingsg",     "ainingsl",   "al.-",       "alid.-",       "бучени",      "学习",
      "学習",         "训练",       "訓練",       "훈련",         "학습",        "начал",
      "ачина",        "aczka",      "ozpocz",     "akończ",       "alidacja",    "poce",
      "eginnt",       "tartet",     "ommence",    "ébute",        "omienza",     "mpieza",
      "nizia",        "开始",       "開始",       "시작",         "测试",        "測試",
      "累计",         "累計",       "終了",       "结束",         "完了",        "старт",
      "Старт",        "ntrenando",  "批次",       "reinando",     "alidando",    "rdida de",
      "erte d",       "erda ",      "lot ",       "lote ",        "Lot ",        "Lote ",
      "lotto",        "artia ",     "ernrate",    "aprendiza",    "valuando",    "valiando",
      "alutando",     "alidiere",   "valuiere",   "eendet",       "geschlossen", "ermin",
      "inaliza",      "oncluíd",    "ompletat",   "авершен",      "акончен",     "egonnen",
      "uming of ",    "tération",   "teraci",     "teraçã",       "terazione",   "iteracja",
      "тераци",       "levou",      "durou",      "a duré",       "dauerte",     "tardó",
      "impiegato",    "занял",      "┌ ",         "│ ",           "└ "};
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
