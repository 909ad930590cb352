#include "src/record/isolated.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "src/base/core/error.hpp"
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
  std::ranges::copy(bytes.substr(0, size), static_cast<char*>(into));
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

std::string reader_answer(const IsolatedReader::Fill& fill, const std::string& request) {
  try {
    Record record;
    fill(request, record);
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

/// Returns false if the peer is gone.
bool send_all(int socket, const void* from, std::size_t size) {
  const auto* next = static_cast<const char*>(from);
  while (size > 0) {
    const auto count = ::send(socket, next, size, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    next += count < 0 ? 0 : count;
    size -= count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  return true;
}

/// Returns false if the peer is gone.
bool receive_all(int socket, void* into, std::size_t size) {
  auto* next = static_cast<char*>(into);
  while (size > 0) {
    const auto count = ::recv(socket, next, size, 0);
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return false;
    }
    next += count < 0 ? 0 : count;
    size -= count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  return true;
}

// A message is its size in bytes, then the bytes.

bool send_message(int socket, const std::string& bytes) {
  const std::size_t size = bytes.size();
  return send_all(socket, &size, sizeof(size)) && send_all(socket, bytes.data(), size);
}

bool receive_message(int socket, std::string& bytes) {
  std::size_t size = 0;
  if (!receive_all(socket, &size, sizeof(size))) {
    return false;
  }
  bytes.resize(size);
  return receive_all(socket, bytes.data(), size);
}

/// A damaged file can cause an endless loop in HDF5: the kernel ends the process after another
/// minute of CPU time.
void limit_cpu_time() {
  constexpr rlim_t limit_s = 60;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  rlimit cpu_s{};
  getrlimit(RLIMIT_CPU, &cpu_s);
  cpu_s.rlim_cur = std::min(
      cpu_s.rlim_max, static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + limit_s);
  setrlimit(RLIMIT_CPU, &cpu_s);
}

[[noreturn]] void answer_requests(const IsolatedReader::Fill& fill, int socket) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::string request;
  while (receive_message(socket, request)) {
    limit_cpu_time();
    if (!send_message(socket, reader_answer(fill, request))) {
      break;
    }
  }
  _exit(0);  // runs no destructors: the objects belong to the parent
}

}  // namespace

IsolatedReader::~IsolatedReader() {
  end();
}

void IsolatedReader::start() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw RunError(fmt::format("cannot make a pair of sockets: {}", std::strerror(errno)));
  }
  Descriptor ours(ends[0]);
  const Descriptor childs(ends[1]);
  child_ = fork();
  if (child_ == 0) {
    ours = Descriptor(-1);
    answer_requests(fill_, childs.number());
  }
  if (child_ < 0) {
    throw RunError(fmt::format("cannot start a process to read in: {}", std::strerror(errno)));
  }
  socket_ = std::move(ours);
}

void IsolatedReader::end() {
  if (child_ < 0) {
    return;
  }
  socket_ = Descriptor(-1);  // the child ends if it has not crashed
  TEMP_FAILURE_RETRY(waitpid(child_, nullptr, 0));
  child_ = -1;
}

Record IsolatedReader::read(const std::string& request) {
  if (child_ < 0) {
    start();
  }
  std::string answer;
  if (!send_message(socket_.number(), request) || !receive_message(socket_.number(), answer) ||
      answer.empty()) {
    end();
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
