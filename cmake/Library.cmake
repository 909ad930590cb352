# epochcast_library(<folder name> [DEPENDS <folder>...] [PRIVATE <library>...])
#
# A static library of every .cpp in the current folder (main.cpp and *_main.cpp left out), named
# epochcast_<folder>, with the alias epochcast::<folder>. Includes are written from the repository root.
function(epochcast_library folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;PRIVATE")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "main\\.cpp$")
  if(NOT sources)
    add_library(epochcast_${folder} INTERFACE)
    add_library(epochcast::${folder} ALIAS epochcast_${folder})
    return()
  endif()
  add_library(epochcast_${folder} STATIC ${sources})
  add_library(epochcast::${folder} ALIAS epochcast_${folder})
  target_include_directories(epochcast_${folder} PUBLIC ${PROJECT_SOURCE_DIR})
  list(TRANSFORM arg_DEPENDS PREPEND epochcast::)
  target_link_libraries(epochcast_${folder} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE} epochcast_warnings)
endfunction()

# epochcast_program(<name> <main source> <library>...): an installed executable in build/<preset>/bin.
function(epochcast_program name main)
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE ${ARGN} epochcast_warnings)
  install(TARGETS ${name} RUNTIME)
endfunction()
