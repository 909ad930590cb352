# folder_registry(<target> <folder> SPEC <type> HEADER <header> NAMESPACE <namespace>)
#
# Every <folder>/<name>.cpp defines `<type> <namespace>::<last part of folder>::<name>()`; `all()` beside it returns
# them all by name. A file of a family defines several, one for each size. The sources themselves are in the target
# already, as all of its folder are. A new file is a new entry; nothing else is edited. A file without its function is a
# link error. Unity builds join them like all other files: what one keeps for itself stands in a namespace of its own
# name, such as `epoch_range_table`.
function(folder_registry target folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "SPEC;HEADER;NAMESPACE" "")
  cmake_path(GET folder FILENAME entries_of)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  foreach(source IN LISTS sources)
    file(STRINGS ${source} names REGEX "^${arg_SPEC} [a-z0-9_]+\\(\\) {")
    list(TRANSFORM names REPLACE "^${arg_SPEC} ([a-z0-9_]+).*" "\\1")
    list(LENGTH names count)
    if(count EQUAL 0)
      cmake_path(GET source STEM names)
    elseif(count GREATER 1)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    endif()
    foreach(name IN LISTS names)
      string(APPEND declarations "${arg_SPEC} ${name}();\n")
      string(APPEND entries "      {\"${name}\", ${name}()},\n")
    endforeach()
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${folder}.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT [[
// Generated from the files in @folder@/ by cmake/FolderRegistry.cmake; do not edit.
#include "@arg_HEADER@"

namespace @arg_NAMESPACE@::@entries_of@ {

@declarations@
const std::map<std::string, @arg_SPEC@>& all() {
  static const std::map<std::string, @arg_SPEC@> entries{
@entries@  };
  return entries;
}

}  // namespace @arg_NAMESPACE@::@entries_of@
]])
  target_sources(${target} PRIVATE ${generated})
endfunction()
