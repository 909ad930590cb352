// The options of epochcast-load besides those of the load itself (src/record/run/serving.hpp).
#pragma once

#include <string>

#include "src/base/core/fields.hpp"
#include "src/base/core/quantity.hpp"

namespace epochcast::load {

struct TargetOptions {
  std::string url;
  std::string address_file;
  std::string token_file;
  Seconds start_limit = {600};
  Seconds drain_limit = {60};
};
constexpr auto fields_of(Tag<TargetOptions>) {
  return FieldTable{
      Field{"url", "1", "Address of the service, such as http://127.0.0.1:8000",
            &TargetOptions::url},
      Field{"address_file", "1",
            "File to which the service writes its address once it listens; instead of --url",
            &TargetOptions::address_file},
      Field{"token_file", "1",
            "File with the token that the service asks for (empty: the variable EPOCHCAST_TOKEN, "
            "if it is set)",
            &TargetOptions::token_file},
      Field{"start_limit", "s", "Longest time to wait until GET /health is answered with 200",
            &TargetOptions::start_limit, ">0"},
      Field{"drain_limit", "s",
            "Longest time that COMMAND may take to answer its last requests and end, after SIGTERM",
            &TargetOptions::drain_limit, ">0"},
  };
}

}  // namespace epochcast::load
