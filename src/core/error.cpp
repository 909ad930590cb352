#include "src/core/error.hpp"

#include <cstdio>
#include <exception>
#include <new>

namespace epochcast {
namespace {

/// Libraries put newlines in their messages, the cause first; ours is one line.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// A line break in a message of ours came with what was found, such as a path.
std::string escaped(const std::string& text) {
  std::string line;
  for (const char c : text) {
    line += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return line;
}

int report(std::string_view program, const std::string& line, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(program.size()), program.data(),
               line.c_str());
  return status;
}

}  // namespace

int run_program(std::string_view program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const Error& error) {
    return report(program, escaped(error.what()), error.status());
  } catch (const std::bad_alloc&) {
    return report(program, "out of memory", exit_failed);
  } catch (const std::exception& error) {
    return report(program, first_line(error.what()), exit_failed);
  }
}

}  // namespace epochcast
