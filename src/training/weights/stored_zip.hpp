// The entries of a zip file that are stored as they are: PyTorch's files since 1.6 are such.
// Format: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3 (ZIP64). Files come from unknown
// sources, so every value in them is checked.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace epochcast::weights {

/// Whether the bytes begin as a zip file does.
bool is_zip(std::span<const std::byte> bytes);

/// The bytes of each entry by name; they point into `bytes`. Throws Error "WHERE: ..." if `bytes`
/// is not a zip file, is damaged, has a name twice, or has a compressed or encrypted entry.
std::map<std::string, std::span<const std::byte>> stored_entries(std::span<const std::byte> bytes,
                                                                 const std::string& where);

}  // namespace epochcast::weights
