// The memory of this process.
#pragma once

namespace epochcast::process {

/// Gives back what only the start of the program needed: free memory of the heap, and the pages of
/// code and constants of programs and libraries, most of which are never used again (libhdf5 brings
/// 30 other libraries). The kernel reads a page that is needed after all from its cache. For a
/// process that stays beside another one for days.
void release_start_up_memory();

/// Makes all threads share one heap: each further one costs some 100 KB. Before the first thread
/// starts. For a process whose threads rarely allocate at the same time.
void share_one_heap();

}  // namespace epochcast::process
