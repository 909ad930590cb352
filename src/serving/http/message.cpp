#include "src/serving/http/message.hpp"

#include <nlohmann/json.hpp>

#include "src/base/core/text.hpp"

namespace epochcast::http {

Response error_response(int status, std::string_view reason, int retry_after_s) {
  const nlohmann::json body = {{"error", printable(reason)}};
  Response response{.status = status, .body = body.dump() + "\n"};
  if (status == 429 || status == 503) {
    response.headers.emplace_back("Retry-After", std::to_string(retry_after_s));
  }
  return response;
}

}  // namespace epochcast::http
