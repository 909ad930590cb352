#include "src/record/isolated.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "src/core/error.hpp"
#include "src/record/h5.hpp"

namespace epochcast::record {
namespace {

// The child sends one of these marks, then the record as raw memory or the text of the error.
constexpr char mark_record = 'R';
constexpr char mark_bad_input = 'I';
constexpr char mark_failed = 'F';

void put(std::string& bytes, const void* from, std::size_t size) {
  bytes.append(static_cast<const char*>(from), size);
}

void take(std::string_view& bytes, void* into, std::size_t size) {
  if (size > bytes.size()) {
    throw std::logic_error("the reading process sent less than a record");
  }
  std::copy_n(bytes.data(), size, static_cast<char*>(into));  // memcpy must not get a null pointer
  bytes.remove_prefix(size);
}

std::string to_bytes(const Record& record) {
  std::string bytes(1, mark_record);
  put(bytes, &record.header, sizeof(record.header));
  for_each_table([&]<class Row>(const RecordTable<Row>& table) {
    const auto& rows = record.*table.rows;
    const std::size_t count = rows.size();
    put(bytes, &count, sizeof(count));
    put(bytes, rows.data(), count * sizeof(Row));
  });
  return bytes + record.modules;
}

Record from_bytes(std::string_view bytes) {
  Record record;
  take(bytes, &record.header, sizeof(record.header));
  for_each_table([&]<class Row>(const RecordTable<Row>& table) {
    std::size_t count = 0;
    take(bytes, &count, sizeof(count));
    (record.*table.rows).resize(count);
    take(bytes, (record.*table.rows).data(), count * sizeof(Row));
  });
  record.modules = bytes;
  return record;
}

std::string answer_of(const std::function<void(Record&)>& fill) {
  try {
    Record record;
    fill(record);
    return to_bytes(record);
  } catch (const Error& error) {
    return (error.status() == exit_bad_input ? mark_bad_input : mark_failed) +
           std::string(error.what());
  } catch (const std::bad_alloc&) {
    return mark_failed + std::string("out of memory");
  } catch (const std::exception& error) {
    return mark_failed + std::string(error.what());
  }
}

[[noreturn]] void be_the_child(const std::function<void(Record&)>& fill, int out) {
  const rlimit no_core{0, 0};
  const rlimit cpu_s{60, 60};  // a damaged file can cause an endless loop in HDF5
  setrlimit(RLIMIT_CORE, &no_core);
  setrlimit(RLIMIT_CPU, &cpu_s);
  const auto answer = answer_of(fill);
  for (std::size_t sent = 0; sent < answer.size();) {
    const auto count = ::write(out, answer.data() + sent, answer.size() - sent);
    if (count < 0 && errno != EINTR) {
      break;
    }
    sent += count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  _exit(0);  // runs no destructors: the objects belong to the parent
}

std::string read_all(int in) {
  std::string bytes;
  for (std::array<char, 65536> buffer;;) {
    const auto count = ::read(in, buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return bytes;
    }
    bytes.append(buffer.data(), count < 0 ? 0 : static_cast<std::size_t>(count));
  }
}

}  // namespace

Record read_isolated(const std::function<void(Record&)>& fill) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw RunError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    be_the_child(fill, ends[1]);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    throw RunError(fmt::format("cannot start a process to read in: {}", std::strerror(errno)));
  }
  const auto answer = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (answer.empty() || WIFSIGNALED(status)) {
    throw h5::Failure("the HDF5 library crashes on it");
  }
  switch (answer.front()) {
    case mark_record:
      return from_bytes(std::string_view(answer).substr(1));
    case mark_bad_input:
      throw Error(answer.substr(1));
    default:
      throw h5::Failure(answer.substr(1));
  }
}

}  // namespace epochcast::record
