// Version and git revision of these sources. Their values are in a generated source
// (cmake/Revision.cmake), so that a commit recompiles one small file.
#pragma once

namespace epochcast {

extern const char* const tool_version;
extern const char* const tool_revision;

}  // namespace epochcast
