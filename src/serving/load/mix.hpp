// What the requests ask: the texts of the study's load test, those of a file, or the pictures of a
// folder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/base/core/random.hpp"
#include "src/record/run/serving.hpp"

namespace epochcast::load {

class Mix {
 public:
  struct Request {
    std::shared_ptr<const std::string> bytes;
    std::int64_t texts = 0;  ///< Or pictures.
  };
  /// `request_of` makes the bytes of a request from its body. Throws Error if the file or a picture
  /// of `options.mix` cannot be read, there is none, or a text is not UTF-8.
  Mix(const run::LoadOptions& options,
      std::function<std::string(const std::string& body)> request_of);

  Request next();

 private:
  Request request_with(const std::vector<std::string>& items) const;

  double cached_;
  std::function<std::string(const std::string&)> request_of_;
  Random random_;
  std::vector<std::string> items_;  ///< Texts, or pictures in Base64; in JSON.
  std::string key_ = "text";        ///< What the service calls them.
  std::size_t count_ = 0;           ///< Of each request that is not a fixed one.
  bool shuffles_ = false;           ///< All texts, in random order.
  Request fixed_;
};

/// {"KEY": [...]}, from items in JSON.
std::string body_of(const std::string& key, const std::vector<std::string>& items);

}  // namespace epochcast::load
