# Link epochcast_warnings and a target has them; its dependents do not.
# -Wmissing-field-initializers is off: a designated initializer names what differs, the rest has defaults.
# -Wrestrict is off: g++ 12 raises it falsely inside std::string (GCC bug 105329).
add_library(epochcast_warnings INTERFACE)
target_compile_options(epochcast_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-sign-conversion -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${EPOCHCAST_WERROR}>:-Werror>)
