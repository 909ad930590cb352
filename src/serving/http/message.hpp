// A request and the answer to it, as a handler sees them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epochcast::http {

/// A whole request. Headers that nobody here reads are left out.
struct Request {
  std::string method;  ///< "GET"; may be any word.
  std::string path;    ///< Without the query: "/predict".
  std::string host = {};
  std::string origin = {};
  std::string content_type;
  std::string authorization;
  std::string body;
  /// Becomes true if the client closes its side of the connection before it has the answer; may be
  /// null. What is not computed yet need not be: nobody waits for it.
  std::shared_ptr<const std::atomic<bool>> abandoned = nullptr;
};

struct Response {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Takes the answer to one request. May be called from any thread, once.
using Reply = std::function<void(Response)>;

/// {"error": "REASON"}: one line, whatever bytes `reason` has. Statuses 429 and 503 get
/// Retry-After.
Response error_response(int status, std::string_view reason, int retry_after_s = 1);

}  // namespace epochcast::http
