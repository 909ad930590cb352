// What the requests ask: the texts of the study's load test, or those of a file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/load/random.hpp"
#include "src/run/serving.hpp"

namespace epochcast::load {

class Mix {
 public:
  struct Request {
    std::shared_ptr<const std::string> bytes;
    std::int64_t texts = 0;
  };
  /// `request_of` makes the bytes of a request from its body. Throws Error if the file of
  /// `options.mix` cannot be read, has no texts, or is not UTF-8.
  Mix(const run::LoadOptions& options,
      std::function<std::string(const std::string& body)> request_of);

  Request next();

 private:
  Request request_of_texts(const std::vector<std::string>& texts) const;

  double cached_;
  std::function<std::string(const std::string&)> request_of_;
  Random random_;
  std::vector<std::string> texts_;  ///< In JSON.
  std::size_t count_ = 0;           ///< Of each request that is not a fixed one.
  bool shuffles_ = false;           ///< All texts, in random order.
  Request fixed_;
};

/// {"text": [...]}, from texts in JSON.
std::string body_of(const std::vector<std::string>& texts);

}  // namespace epochcast::load
