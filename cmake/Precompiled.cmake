# The headers that most files read, compiled once and shared by targets: the standard library and fmt cost 1.5 s each
# time they are read, GoogleTest 2 s, LibTorch 20 s.
#
# epochcast_precompile(<target> <kind>) lets a target use one of the sets below. Targets that share a set are compiled
# with equal options, or the compiler would refuse the set.
option(EPOCHCAST_PCH "Precompile the headers that most files read" ON)

# With this flag ccache can tell what an object with precompiled headers was made from.
if(EPOCHCAST_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()

# Only what computes much is `fast`: the rest takes two thirds of the time to compile with -O1. In the preset asan the rest
# also goes without UBSan's checks of each pointer, which AddressSanitizer makes mostly superfluous: two thirds again; and
# `fast` code has -O1: a third longer to compile, half as long to test.
set(EPOCHCAST_SMALL_OPTIONS $<$<CONFIG:Release>:-O1> CACHE STRING "Options of all code that is not `fast`")
set(EPOCHCAST_FAST_OPTIONS "" CACHE STRING "Options of code that is `fast`")

# epochcast_header_set(<kind> OPTIONS <option>... HEADERS <header>... [LIBRARIES <library>...])
function(epochcast_header_set kind)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS;HEADERS;LIBRARIES;DEFINITIONS")
  set_property(GLOBAL PROPERTY epochcast_options_${kind} "${arg_OPTIONS}")
  set_property(GLOBAL PROPERTY epochcast_definitions_${kind} "${arg_DEFINITIONS}")
  if(NOT EPOCHCAST_PCH)
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/precompiled/${kind}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Carries the precompiled headers of kind '${kind}'.\n")
  add_library(epochcast_headers_${kind} OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(epochcast_headers_${kind} PRIVATE epochcast_warnings ${arg_LIBRARIES})
  target_compile_options(epochcast_headers_${kind} PRIVATE ${arg_OPTIONS})
  target_compile_definitions(epochcast_headers_${kind} PRIVATE ${arg_DEFINITIONS})
  target_precompile_headers(epochcast_headers_${kind} PRIVATE ${arg_HEADERS})
endfunction()

function(epochcast_precompile target kind)
  if(kind STREQUAL none)
    return()
  endif()
  get_property(options GLOBAL PROPERTY epochcast_options_${kind})
  get_property(definitions GLOBAL PROPERTY epochcast_definitions_${kind})
  target_compile_options(${target} PRIVATE ${options})
  target_compile_definitions(${target} PRIVATE ${definitions})
  if(EPOCHCAST_PCH)
    target_precompile_headers(${target} REUSE_FROM epochcast_headers_${kind})
  endif()
endfunction()

set(standard_headers
    <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <sstream>
    <string> <string_view> <tuple> <utility> <variant> <vector>)
epochcast_header_set(small OPTIONS ${EPOCHCAST_SMALL_OPTIONS} HEADERS ${standard_headers} <fmt/format.h> LIBRARIES fmt::fmt)
epochcast_header_set(fast OPTIONS ${EPOCHCAST_FAST_OPTIONS} HEADERS ${standard_headers} <fmt/format.h> LIBRARIES fmt::fmt)
