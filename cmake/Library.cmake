# Links the libraries of folders, which are named as in DEPENDS.
function(epochcast_link target scope)
  list(TRANSFORM ARGN REPLACE "/" "_")
  list(TRANSFORM ARGN PREPEND epochcast::)
  target_link_libraries(${target} ${scope} ${ARGN})
endfunction()

# epochcast_library([STAGES <stage>...] [DEPENDS <folder>...] [PRIVATE <library>...] [HEADERS <set>])
#
# A static library of every .cpp in the current folder and below it, but for main.cpp, *_main.cpp and inner folders that
# have a CMakeLists.txt of their own. Its name is that of the folder: epochcast::base_core is src/base/core. Includes are
# written from the root of the repository. DEPENDS: the folders that it may include, without src/; STAGES: the order of
# its own folders (tests/include_rules.py checks both). HEADERS: the set of precompiled headers and options
# (cmake/Precompiled.cmake; default: small), or none.
function(epochcast_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "HEADERS" "STAGES;DEPENDS;PRIVATE")
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "^src/" "" name ${folder})
  string(REPLACE "/" "_" name ${name})
  set(target epochcast_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "main\\.cpp$")
  file(GLOB_RECURSE inner_lists ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(inner IN LISTS inner_lists)
    cmake_path(GET inner PARENT_PATH inner)
    list(FILTER sources EXCLUDE REGEX "^${inner}/")
  endforeach()
  add_library(${target} STATIC ${sources})
  add_library(epochcast::${name} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  epochcast_link(${target} PUBLIC ${arg_DEPENDS})
  target_link_libraries(${target} PRIVATE ${arg_PRIVATE} epochcast_warnings)
  if(NOT arg_HEADERS)
    set(arg_HEADERS small)
  endif()
  epochcast_precompile(${target} ${arg_HEADERS})
endfunction()

# epochcast_program(<name> DEPENDS <folder>...): an installed executable of every .cpp in the current folder, in
# build/<preset>/bin. DEPENDS: as for a library.
function(epochcast_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_executable(${name} ${sources})
  epochcast_link(${name} PRIVATE ${arg_DEPENDS})
  target_link_libraries(${name} PRIVATE epochcast_warnings)
  epochcast_precompile(${name} small)
  install(TARGETS ${name} RUNTIME)
  epochcast_pages(${name})
endfunction()

# epochcast_pages(<program>): manual page and shell completion, printed by the program itself, in build/<preset>/share.
function(epochcast_pages name)
  set(share ${CMAKE_BINARY_DIR}/share)
  set(manual ${share}/man/man1/${name}.1)
  set(bash ${share}/bash-completion/completions/${name})
  set(zsh ${share}/zsh/site-functions/_${name})
  add_custom_command(
    OUTPUT ${manual} ${bash} ${zsh} DEPENDS ${name} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${share}/man/man1 ${share}/bash-completion/completions ${share}/zsh/site-functions
    COMMAND ${name} --man > ${manual}
    COMMAND ${name} --completion bash > ${bash}
    COMMAND ${name} --completion zsh > ${zsh})
  add_custom_target(${name}_pages ALL DEPENDS ${manual} ${bash} ${zsh})
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
  install(FILES ${bash} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
  install(FILES ${zsh} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
endfunction()
