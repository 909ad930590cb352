# Run by CPack after the installation into its staging folder (cmake/Package.cmake):
#   bin/NAME                -> ../libexec/epochcast/launcher
#   libexec/epochcast/NAME  the program; epochcast-train-SERIES one for each series of LibTorch that was built
#   lib/epochcast           the loader and the libraries; libepochcast_cuda-SERIES.so, where the build had CUDA's headers
set(top ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
set(programs ${top}/libexec/epochcast)
set(libraries ${top}/lib/epochcast)
file(MAKE_DIRECTORY ${programs} ${libraries})

file(GLOB installed ${top}/bin/*)
foreach(program IN LISTS installed)
  get_filename_component(name ${program} NAME)
  set(target ${name})
  if(name STREQUAL epochcast-train)
    set(target epochcast-train-${CPACK_EPOCHCAST_TORCH_SERIES})
  endif()
  file(RENAME ${program} ${programs}/${target})
  file(CREATE_LINK ../libexec/epochcast/launcher ${top}/bin/${name} SYMBOLIC)
endforeach()

# The trainer for the other LibTorch, if the preset torch27 was built.
set(other ${CPACK_EPOCHCAST_BINARY_DIR}/../torch27/bin/epochcast-train)
if(EXISTS ${other} AND IS_SYMLINK ${top}/bin/epochcast-train)
  file(COPY_FILE ${other} ${programs}/epochcast-train-2.7)
  file(GLOB other_library ${CPACK_EPOCHCAST_BINARY_DIR}/../torch27/lib/epochcast/libepochcast_cuda-2.7.so)
  file(COPY ${other_library} DESTINATION ${libraries})
endif()

# The loader takes libraries from --library-path; what it would search of its own is this machine's.
file(GLOB executables ${programs}/*)
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${executables} RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
     CONFLICTING_DEPENDENCIES_PREFIX conflict
     PRE_EXCLUDE_REGEXES "^libtorch" "^libc10" "^libcud" "^libcupti" "^libgomp")
if(missing)
  message(FATAL_ERROR "These libraries of the programs are not found: ${missing}")
endif()
foreach(library IN LISTS found)
  get_filename_component(name ${library} NAME)
  file(REAL_PATH ${library} file)
  file(COPY_FILE ${file} ${libraries}/${name})
endforeach()
foreach(name libgomp.so.1 librt.so.1 libdl.so.2 libpthread.so.0 libutil.so.1 libnss_files.so.2 libnss_dns.so.2)  # of LibTorch, CUDA and libc
  execute_process(COMMAND cc -print-file-name=${name} OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(EXISTS ${file})
    file(REAL_PATH ${file} real)
    file(COPY_FILE ${real} ${libraries}/${name})
  endif()
endforeach()

# The paths of this machine; the launcher gives the library path.
file(GLOB gpu_libraries ${libraries}/libepochcast_cuda-*)
foreach(program IN LISTS executables gpu_libraries)
  file(RPATH_REMOVE FILE ${program})
endforeach()

file(COPY_FILE ${CPACK_EPOCHCAST_BINARY_DIR}/bin/epochcast-launcher ${programs}/launcher)
file(GLOB elf ${programs}/* ${libraries}/*)
foreach(file IN LISTS elf)
  file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
execute_process(COMMAND strip --strip-unneeded ${elf} COMMAND_ERROR_IS_FATAL ANY)
