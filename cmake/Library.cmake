# epochcast_library(<name> [DEPENDS <name>...] [PRIVATE <library>...] [HEADERS <set>])
#
# A static library of every .cpp in the current folder and below it (main.cpp and *_main.cpp left out), named
# epochcast_<name>, with the alias epochcast::<name>. Includes are written from the repository root. HEADERS: the set
# of precompiled headers and options (cmake/Precompiled.cmake; default: small), or none.
function(epochcast_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADERS" "DEPENDS;PRIVATE")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "main\\.cpp$")
  add_library(epochcast_${name} STATIC ${sources})
  add_library(epochcast::${name} ALIAS epochcast_${name})
  target_include_directories(epochcast_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  list(TRANSFORM arg_DEPENDS PREPEND epochcast::)
  target_link_libraries(epochcast_${name} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE} epochcast_warnings)
  if(NOT arg_HEADERS)
    set(arg_HEADERS small)
  endif()
  epochcast_precompile(epochcast_${name} ${arg_HEADERS})
endfunction()

# epochcast_program(<name> <main source> <library>...): an installed executable in build/<preset>/bin.
function(epochcast_program name main)
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE ${ARGN} epochcast_warnings)
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
