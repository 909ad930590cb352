// What is not the file that was meant: pipes without an end, and what stands in a file's place.
#pragma once

#include <string>
#include <string_view>

namespace epochcast {

/// Throws Error for a named pipe, on which a reader would wait for a writer. The pipes of a shell
/// (/dev/stdin, <(command)) have one.
void require_no_pipe(const std::string& path);

/// Throws Error if the content that begins with `head` is a Git LFS pointer, or the page of a web
/// site that was saved instead of the file.
void require_no_stand_in(const std::string& path, std::string_view head);

}  // namespace epochcast
