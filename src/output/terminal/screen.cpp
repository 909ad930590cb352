#include "src/output/terminal/screen.hpp"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <map>
#include <tuple>
#include <vector>

#define NCURSES_NOMACROS 1  // its macros have names such as `clear` and `move`
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

#include "src/base/text/utf8.hpp"
#undef lines  // of term.h, which has them in spite of NCURSES_NOMACROS
#undef columns

namespace epochcast::terminal {
namespace {

constexpr std::array end_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// A signal handler reaches nothing but globals. They are set before the handlers are.
volatile sig_atomic_t got_signal = 0;
termios mode_before{};
std::array<char, 256>
    leave_text{};  // what gives the terminal back: sent by a handler with write(2)
std::size_t leave_size = 0;
volatile sig_atomic_t is_open = 0;

void note_signal(int number) {
  got_signal = number;
}

/// After a crash ncurses must not be called any more.
void give_back_and_die(int number) {
  if (is_open != 0) {
    std::ignore = write(STDOUT_FILENO, leave_text.data(), leave_size);
    tcsetattr(STDIN_FILENO, TCSANOW, &mode_before);
  }
  signal(number, SIG_DFL);
  raise(number);
}

void end_at_exit() {
  if (is_open != 0) {
    is_open = 0;
    endwin();
  }
}

int append_to_leave_text(int byte) {
  if (leave_size < leave_text.size()) {
    leave_text[leave_size++] = static_cast<char>(byte);
  }
  return byte;
}

/// Prepares the text that leaves the full screen, from the terminfo entry.
void prepare_leaving() {
  leave_size = 0;
  for (const char* name : {"sgr0", "rmcup", "rmkx", "cnorm"}) {
    if (const char* text = tigetstr(name); text != nullptr && text != reinterpret_cast<char*>(-1)) {
      tputs(text, 1, append_to_leave_text);
    }
  }
}

std::map<int, struct sigaction>& actions_before() {
  static std::map<int, struct sigaction> actions;
  return actions;
}

template <class Numbers>
void handle(const Numbers& numbers, void (*handler)(int), int flags) {
  for (const int number : numbers) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) {
      continue;  // nohup
    }
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;  // without SA_RESTART: the wait for a key ends
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, &actions_before()[number]);
  }
}

constexpr short good_pair = 1, active_pair = 2, warning_pair = 3, bad_pair = 4;

bool wants_colors() {
  const char* without = std::getenv("NO_COLOR");  // https://no-color.org
  return (without == nullptr || *without == '\0') && has_colors();
}

void prepare_colors() {
  if (!wants_colors()) {
    return;
  }
  start_color();
  const short back = use_default_colors() == OK ? -1 : COLOR_BLACK;
  init_pair(good_pair, COLOR_GREEN, back);
  init_pair(active_pair, COLOR_CYAN, back);
  init_pair(warning_pair, COLOR_YELLOW, back);
  init_pair(bad_pair, COLOR_RED, back);
}

struct Look {
  attr_t attributes = A_NORMAL;
  short pair = 0;
};

Look style_look(Style style) {
  switch (style) {
    case Style::bold:
      return {A_BOLD};
    case Style::dim:
      return {A_DIM};
    case Style::inverse:
      return {A_REVERSE};
    case Style::good:
      return {A_NORMAL, good_pair};
    case Style::active:
      return {A_NORMAL, active_pair};
    case Style::warning:
      return {A_NORMAL, warning_pair};
    case Style::bad:
      return {A_BOLD, bad_pair};
    default:
      return {};
  }
}

bool is_utf8() {
  return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/// For a terminal of another encoding.
wchar_t plain_form(char32_t code) {
  static const std::map<char32_t, wchar_t> forms{{U'█', L'#'}, {U'▌', L'='}, {U'░', L'.'},
                                                 {U'…', L'~'}, {U'–', L'-'}, {U'─', L'-'},
                                                 {U'▶', L'>'}, {U'·', L'|'}};
  const auto found = forms.find(code);
  return code < 0x80 ? static_cast<wchar_t>(code) : found == forms.end() ? L'?' : found->second;
}

std::wstring wide(const std::string& text, bool utf8) {
  std::wstring wide;
  for (std::size_t at = 0; at < text.size();) {
    const auto code = text::next_code_point(text, at);
    wide += utf8 ? static_cast<wchar_t>(code) : plain_form(code);
  }
  return wide.substr(0, CCHARW_MAX - 1);
}

void draw_cell(int row, int column, const Cell& cell, bool utf8) {
  const auto look = style_look(cell.style);
  cchar_t character{};
  const auto pair = has_colors() ? look.pair : short{0};
  setcchar(&character, wide(cell.text, utf8).c_str(), look.attributes, pair, nullptr);
  mvadd_wch(row, column, &character);
}

Key terminal_key(int code) {
  static const std::map<int, KeyName> names{
      {KEY_UP, KeyName::up},         {KEY_DOWN, KeyName::down},
      {KEY_LEFT, KeyName::left},     {KEY_RIGHT, KeyName::right},
      {KEY_PPAGE, KeyName::page_up}, {KEY_NPAGE, KeyName::page_down},
      {KEY_HOME, KeyName::home},     {KEY_END, KeyName::end},
      {KEY_ENTER, KeyName::enter},   {KEY_BACKSPACE, KeyName::backspace},
      {KEY_DC, KeyName::backspace}};
  const auto found = names.find(code);
  return {found == names.end() ? KeyName::other : found->second};
}

Key key_of_character(wint_t code) {
  switch (code) {
    case L'\r':
    case L'\n':
      return {KeyName::enter};
    case 0x1B:
      return {KeyName::escape};
    case 0x7F:
    case 0x08:
      return {KeyName::backspace};
    default:
      break;
  }
  Key key{code < 0x20 ? KeyName::other : KeyName::character};
  if (key.name == KeyName::character) {
    text::append_utf8(static_cast<char32_t>(code), key.text);
  }
  return key;
}

bool has(const char* capability) {
  const char* text = tigetstr(capability);
  return text != nullptr && text != reinterpret_cast<char*>(-1);
}

/// Why the terminal cannot show a full screen; empty: it can, and cur_term is its entry.
std::string obstacle() {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) {
    return "standard input or output is no terminal";
  }
  const char* term = std::getenv("TERM");
  const std::string name = term == nullptr ? "" : term;
  int error = 0;
  if (name.empty() || setupterm(nullptr, STDOUT_FILENO, &error) != OK) {
    return name.empty() ? "TERM is not set" : "terminfo has no entry for TERM=" + name;
  }
  if (has("cup") && has("clear")) {
    return "";
  }
  del_curterm(cur_term);
  return "the terminal TERM=" + name + " cannot move its cursor";
}

}  // namespace

std::unique_ptr<Screen> Screen::open(std::string& reason) {
  reason = obstacle();
  if (!reason.empty()) {
    return nullptr;
  }
  got_signal = 0;
  tcgetattr(STDIN_FILENO, &mode_before);
  setlocale(LC_CTYPE, "");  // ncurses writes characters in the encoding of the locale
  prepare_leaving();
  del_curterm(cur_term);  // newterm() makes one of its own
  // Before ncurses: it leaves signals alone that have a handler already.
  handle(end_signals, note_signal, 0);
  if (newterm(nullptr, stdout, stdin) == nullptr) {
    reason = "the terminal cannot be opened";
    return nullptr;
  }
  return std::unique_ptr<Screen>(new Screen);
}

Screen::Screen() {
  is_open = 1;
  static const bool registered = std::atexit(end_at_exit) == 0;
  std::ignore = registered;
  handle(crash_signals, give_back_and_die, static_cast<int>(SA_RESETHAND | SA_NODEFER));
  cbreak();
  noecho();
  curs_set(0);
  keypad(stdscr, TRUE);
  set_escdelay(50);
  prepare_colors();
}

Screen::~Screen() {
  end_at_exit();
  for (const auto& [number, action] : actions_before()) {
    sigaction(number, &action, nullptr);
  }
  actions_before().clear();
  setlocale(LC_CTYPE, "C");
}

Size Screen::size() const {
  winsize now{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &now) == 0 && now.ws_row > 0 && now.ws_col > 0 &&
      is_term_resized(now.ws_row, now.ws_col)) {
    resizeterm(now.ws_row, now.ws_col);
  }
  return {getmaxy(stdscr), getmaxx(stdscr)};
}

void Screen::draw(const Grid& grid) {
  const bool utf8 = is_utf8();
  erase();
  for (int row = 0; row < grid.size().rows; ++row) {
    for (int column = 0; column < grid.size().columns; ++column) {
      const auto& cell = grid.at(row, column);
      if (!cell.text.empty()) {
        draw_cell(row, column, cell, utf8);
      }
    }
  }
  refresh();
}

Key Screen::wait(int timeout_ms) {
  timeout(timeout_ms);
  wint_t code = 0;
  const int kind = get_wch(&code);
  return kind == ERR            ? Key{}
         : kind == KEY_CODE_YES ? terminal_key(static_cast<int>(code))
                                : key_of_character(code);
}

void Screen::discard_keys() {
  flushinp();
}

int Screen::end_signal() {
  return got_signal;
}

}  // namespace epochcast::terminal
