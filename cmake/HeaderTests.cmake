# epochcast_header_tests(<target> FOLDERS <folder>... LIBRARIES <library>...)
#
# A target, not part of `all`, that compiles every header of the folders (paths from the repository root) alone and
# twice in one file: each includes what it needs and guards itself. 'env/lint headers' builds it without precompiled
# headers, which hide a missing include of the standard library.
function(epochcast_header_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;LIBRARIES")
  list(TRANSFORM arg_FOLDERS REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.hpp" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${patterns})
  foreach(header IN LISTS headers)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    list(APPEND sources ${source})
  endforeach()
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} epochcast_warnings)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  target_compile_options(${target} PRIVATE -O0)
endfunction()
