# Link epochcast_warnings and a target has them; its dependents do not.
# -Wmissing-field-initializers is off: a designated initializer names what differs, the rest has defaults.
# -Wrestrict is off: g++ 12 raises it falsely inside std::string (GCC bug 105329); so does g++ 14 -Warray-bounds where it
# inlines the copy of a short std::vector, and -Wdangling-reference where a function returns a reference to an entry of
# a table and takes a temporary name.
add_library(epochcast_warnings INTERFACE)
target_compile_options(epochcast_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-sign-conversion -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-array-bounds;-Wno-dangling-reference>
  $<$<BOOL:${EPOCHCAST_WERROR}>:-Werror>)
