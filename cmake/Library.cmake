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

# epochcast_program(<name> <main source> <library>...): an installed executable in build/<preset>/bin, with its man page
# and completion in build/<preset>/share, which the program prints itself.
function(epochcast_program name main)
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE ${ARGN} epochcast_warnings)
  epochcast_precompile(${name} small)
  install(TARGETS ${name} RUNTIME)

  set(bash bash-completion/completions/${name})
  set(zsh zsh/site-functions/_${name})
  set(man man/man1/${name}.1)
  set(share ${CMAKE_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${share}/${bash} ${share}/${zsh} ${share}/${man} DEPENDS ${name} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${share}/bash-completion/completions ${share}/zsh/site-functions ${share}/man/man1
    COMMAND ${name} --completion bash > ${share}/${bash}
    COMMAND ${name} --completion zsh > ${share}/${zsh}
    COMMAND ${name} --man-page > ${share}/${man})
  add_custom_target(${name}-documents ALL DEPENDS ${share}/${bash})
  foreach(document ${bash} ${zsh} ${man})
    cmake_path(GET document PARENT_PATH folder)
    install(FILES ${share}/${document} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} OPTIONAL)
  endforeach()
endfunction()
