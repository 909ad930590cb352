// Look-up by name in a registry (a folder whose files are its entries; cmake/FolderRegistry.cmake).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/core/error.hpp"
#include "src/base/core/lists.hpp"
#include "src/base/core/text.hpp"

namespace epochcast {

template <class Entry>
std::vector<std::string> names_of(const std::map<std::string, Entry>& entries) {
  return keys_in(entries);
}

/// The entry called `name`; throws Error "unknown model 'lenett'; did you mean 'lenet'?".
template <class Entry>
const Entry& find_entry(const std::map<std::string, Entry>& entries, std::string_view kind,
                        const std::string& name) {
  const auto found = entries.find(name);
  if (found == entries.end()) {
    throw Error("unknown " + std::string(kind) + " '" + name + "'" +
                did_you_mean(name, names_of(entries)));
  }
  return found->second;
}

}  // namespace epochcast
