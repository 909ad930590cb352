#include "src/base/core/caught.hpp"

#include <exception>
#include <filesystem>
#include <new>

#include "src/base/core/files.hpp"

namespace epochcast {
namespace {

/// Library messages have several lines with the cause first; ours have one line.
std::string line_of_cause(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace

Caught caught_exception() {
  try {
    throw;
  } catch (const OutOfMemory& error) {
    return {line_of_cause(error), error.status(), true};
  } catch (const Error& error) {
    return {line_of_cause(error), error.status()};
  } catch (const std::filesystem::filesystem_error& error) {
    return {error_of(error).what(), error_of(error).status()};
  } catch (const std::bad_alloc&) {
    return {"out of memory", exit_failed, true};
  } catch (const std::exception& error) {
    return {line_of_cause(error)};
  } catch (...) {
    return {"an exception of unknown type"};
  }
}

}  // namespace epochcast
