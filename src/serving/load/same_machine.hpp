// Whether a service runs on the machine that loads it.
#pragma once

#include "src/serving/http/address.hpp"

namespace epochcast::load {

/// Whether connections to `address` stay on this machine: they come from the address that they go
/// to. false if the name is not known.
bool is_on_this_machine(const http::Address& address);

}  // namespace epochcast::load
