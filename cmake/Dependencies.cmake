# The libraries that the sources need. Each is looked for here, once, and its target serves all folders. What is missing is
# named together, with the packages that hold it.
#
# Small ones can be built from sources: 'env/fetch sources' gets them (pinned, with checksums; copy .deps/sources from a
# machine with a network), and EPOCHCAST_FETCH=ON builds those that are missing. CMake itself downloads nothing.
if(POLICY CMP0167)  # CMake's own module for Boost is gone; Boost brings one
  cmake_policy(SET CMP0167 NEW)
endif()
option(EPOCHCAST_FETCH "Build small libraries that are missing from the sources that 'env/fetch sources' got" OFF)
set(EPOCHCAST_SOURCES ${CMAKE_CURRENT_LIST_DIR}/../.deps/sources CACHE PATH "The folder that 'env/fetch sources' filled")

# epochcast_dependency(<package> TARGET <target> [VERSION <least>] [COMPONENTS <component>...] [SOURCES <folder>]
#                      [HEADER <file> [LIBRARY <name>]] DEBIAN <name> FEDORA <name> CONDA <name> SPACK <name>)
# With HEADER it has no CMake package of its own, and TARGET is made from the header's folder and the library.
function(epochcast_dependency package)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET;VERSION;SOURCES;HEADER;LIBRARY;DEBIAN;FEDORA;CONDA;SPACK" "COMPONENTS")
  if(arg_HEADER)
    find_header_and_library(${package} "${arg_TARGET}" ${arg_HEADER} "${arg_LIBRARY}")
  elseif(arg_COMPONENTS)
    find_package(${package} ${arg_VERSION} QUIET COMPONENTS ${arg_COMPONENTS})
  else()
    find_package(${package} ${arg_VERSION} QUIET)
  endif()
  string(TOUPPER ${package} upper)
  set(version ${${package}_VERSION}${${upper}_VERSION_STRING})
  if(NOT version)
    set(version ${${upper}_VERSION})
  endif()
  if(TARGET ${package}::${package} AND NOT TARGET ${arg_TARGET})  # yaml-cpp's since 0.8
    add_library(${arg_TARGET} ALIAS ${package}::${package})
  endif()
  if(TARGET ${arg_TARGET})
    set(state "found ${version}")
  elseif(EPOCHCAST_FETCH AND arg_SOURCES AND EXISTS ${EPOCHCAST_SOURCES}/${arg_SOURCES})
    build_from_sources(${arg_SOURCES})
    set(state "built from ${EPOCHCAST_SOURCES}/${arg_SOURCES}")
  else()
    set(state MISSING)
    set_property(GLOBAL APPEND PROPERTY epochcast_missing ${package})
    foreach(system DEBIAN FEDORA CONDA SPACK)
      set_property(GLOBAL APPEND PROPERTY epochcast_missing_${system} ${arg_${system}})
    endforeach()
    if(arg_SOURCES)
      set_property(GLOBAL APPEND PROPERTY epochcast_missing_sources ${package})
    endif()
  endif()
  if(EPOCHCAST_LIST_DEPENDENCIES)
    string(STRIP "${package} ${arg_VERSION}" wanted)
    string(STRIP "${state}" state)
    message(STATUS "${wanted}: ${state}")
  endif()
endfunction()

function(find_header_and_library package target header library)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(${package}_PKG QUIET ${package})
  endif()
  find_path(${package}_INCLUDE_DIR ${header} HINTS ${${package}_PKG_INCLUDE_DIRS})
  if(NOT ${package}_INCLUDE_DIR)
    return()
  endif()
  if(library)
    find_library(${package}_LIBRARY ${library} HINTS ${${package}_PKG_LIBRARY_DIRS})
    if(NOT ${package}_LIBRARY)
      return()
    endif()
  endif()
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} SYSTEM INTERFACE ${${package}_INCLUDE_DIR})
  if(library)
    target_link_libraries(${target} INTERFACE ${${package}_LIBRARY})
  endif()
endfunction()

# Static, without their tests, tools and installation.
function(build_from_sources name)
  set(CMAKE_POLICY_VERSION_MINIMUM 3.5)  # they ask for CMakes that CMake 4 no longer imitates
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)  # so that the options below are theirs
  set(CMAKE_WARN_DEPRECATED OFF)
  set(CMAKE_UNITY_BUILD OFF)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  foreach(option BUILD_SHARED_LIBS YAML_CPP_BUILD_TOOLS YAML_CPP_BUILD_TESTS YAML_CPP_INSTALL YAML_CPP_FORMAT_SOURCE
                 FMT_INSTALL FMT_TEST FMT_DOC JSON_BuildTests JSON_Install UTF8PROC_INSTALL)
    set(${option} OFF)
  endforeach()
  if(name STREQUAL gloo)  # headers only; its own project would look for MPI, Redis and CUDA
    set(folder ${PROJECT_BINARY_DIR}/sources/gloo)
    set(GLOO_VERSION_MAJOR 0)
    set(GLOO_VERSION_MINOR 5)
    set(GLOO_VERSION_PATCH 0)
    set(GLOO_HAVE_TRANSPORT_TCP ON)
    configure_file(${EPOCHCAST_SOURCES}/gloo/gloo/config.h.in ${folder}/gloo/config.h)
    add_library(gloo_headers INTERFACE)
    target_include_directories(gloo_headers SYSTEM INTERFACE ${EPOCHCAST_SOURCES}/gloo ${folder})
    return()
  endif()
  add_subdirectory(${EPOCHCAST_SOURCES}/${name} ${PROJECT_BINARY_DIR}/sources/${name} EXCLUDE_FROM_ALL SYSTEM)
  if(name STREQUAL utf8proc)
    add_library(epochcast::utf8proc ALIAS utf8proc)
  endif()
endfunction()

function(stop_if_missing)
  get_property(missing GLOBAL PROPERTY epochcast_missing)
  if(NOT missing)
    return()
  endif()
  foreach(list missing missing_DEBIAN missing_FEDORA missing_CONDA missing_SPACK missing_sources)
    get_property(${list} GLOBAL PROPERTY epochcast_${list})
    list(JOIN ${list} " " ${list})
  endforeach()
  string(APPEND text "Not found: ${missing}\n"
    "  as root:       apt-get install ${missing_DEBIAN}    or    dnf install ${missing_FEDORA}\n"
    "  without root:  conda install -c conda-forge ${missing_CONDA}    or    spack install ${missing_SPACK}\n"
    "                 or your site's modules ('module avail'); where they lie: -DCMAKE_PREFIX_PATH=FOLDER\n")
  if(missing_sources)
    string(APPEND text "  or built here: 'env/fetch sources', then -DEPOCHCAST_FETCH=ON, for ${missing_sources}\n")
  endif()
  message(FATAL_ERROR "${text}")
endfunction()

epochcast_dependency(fmt VERSION 9.1 TARGET fmt::fmt SOURCES fmt DEBIAN libfmt-dev FEDORA fmt-devel CONDA fmt SPACK fmt@9.1:)
epochcast_dependency(nlohmann_json VERSION 3.11 TARGET nlohmann_json::nlohmann_json SOURCES nlohmann_json
                     DEBIAN nlohmann-json3-dev FEDORA json-devel CONDA nlohmann_json SPACK nlohmann-json@3.11:)
epochcast_dependency(yaml-cpp VERSION 0.7 TARGET yaml-cpp SOURCES yaml-cpp
                     DEBIAN libyaml-cpp-dev FEDORA yaml-cpp-devel CONDA yaml-cpp SPACK yaml-cpp@0.7:)
epochcast_dependency(libutf8proc TARGET epochcast::utf8proc SOURCES utf8proc HEADER utf8proc.h LIBRARY utf8proc
                     DEBIAN libutf8proc-dev FEDORA utf8proc-devel CONDA libutf8proc SPACK utf8proc@2.8:)
epochcast_dependency(PCRE2 TARGET epochcast::pcre2 HEADER pcre2.h LIBRARY pcre2-8
                     DEBIAN libpcre2-dev FEDORA pcre2-devel CONDA pcre2 SPACK pcre2@10.36:)
epochcast_dependency(ncursesw TARGET epochcast::ncursesw HEADER curses.h LIBRARY ncursesw
                     DEBIAN libncurses-dev FEDORA ncurses-devel CONDA ncurses SPACK ncurses)
epochcast_dependency(Boost VERSION 1.74 TARGET Boost::program_options COMPONENTS program_options
                     DEBIAN libboost-program-options-dev FEDORA boost-devel CONDA libboost-devel
                     SPACK boost@1.74:+program_options)
epochcast_dependency(HDF5 VERSION 1.10 TARGET hdf5::hdf5 COMPONENTS C
                     DEBIAN libhdf5-dev FEDORA hdf5-devel CONDA hdf5 SPACK hdf5@1.10.8:+shared~mpi)
include(SmallHdf5)
epochcast_dependency(ZLIB TARGET ZLIB::ZLIB DEBIAN zlib1g-dev FEDORA zlib-devel CONDA zlib SPACK zlib)
epochcast_dependency(PNG TARGET PNG::PNG DEBIAN libpng-dev FEDORA libpng-devel CONDA libpng SPACK libpng@1.6.39:)
epochcast_dependency(JPEG TARGET JPEG::JPEG DEBIAN libjpeg62-turbo-dev FEDORA libjpeg-turbo-devel CONDA libjpeg-turbo
                     SPACK libjpeg-turbo@2.1:)
epochcast_dependency(libsodium TARGET epochcast::sodium HEADER sodium.h LIBRARY sodium
                     DEBIAN libsodium-dev FEDORA libsodium-devel CONDA libsodium SPACK libsodium)
epochcast_dependency(sqlite3 TARGET epochcast::sqlite3 HEADER sqlite3.h LIBRARY sqlite3
                     DEBIAN libsqlite3-dev FEDORA sqlite-devel CONDA libsqlite SPACK sqlite)
epochcast_dependency(libzmq TARGET epochcast::zeromq HEADER zmq.h LIBRARY zmq
                     DEBIAN libzmq3-dev FEDORA zeromq-devel CONDA zeromq SPACK libzmq)
epochcast_dependency(hiredis TARGET epochcast::hiredis HEADER hiredis/hiredis.h LIBRARY hiredis
                     DEBIAN libhiredis-dev FEDORA hiredis-devel CONDA hiredis SPACK hiredis)
if(EPOCHCAST_TORCH)
  # LibTorch's header for Gloo includes Gloo's own, which no LibTorch package ships; nothing of it is linked.
  epochcast_dependency(gloo TARGET gloo_headers SOURCES gloo HEADER gloo/algorithm.h
                       DEBIAN libgloo-dev FEDORA gloo-devel CONDA libgloo SPACK gloo)
endif()
if(EPOCHCAST_TESTS)
  epochcast_dependency(GTest TARGET GTest::gmock DEBIAN "libgtest-dev;libgmock-dev" FEDORA gmock-devel CONDA gtest
                       SPACK googletest@1.12:)
endif()
find_package(Threads REQUIRED)
stop_if_missing()
