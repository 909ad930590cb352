#include "src/core/error.hpp"

#include <cstdio>
#include <exception>
#include <new>

namespace epochcast {
namespace {

/// Libraries put newlines in their messages; ours is one line.
std::string one_line(std::string text) {
  if (const auto end = text.find('\n'); end != std::string::npos) {
    text.resize(end);
  }
  return text;
}

int report(std::string_view program, const std::string& text, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "%.*s: error: %s\n", static_cast<int>(program.size()), program.data(),
               one_line(text).c_str());
  return status;
}

}  // namespace

int run_program(std::string_view program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const Error& error) {
    return report(program, error.what(), error.status());
  } catch (const std::bad_alloc&) {
    return report(program, "out of memory", exit_failed);
  } catch (const std::exception& error) {
    return report(program, error.what(), exit_failed);
  }
}

}  // namespace epochcast
