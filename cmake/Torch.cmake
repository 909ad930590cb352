# epochcast::libtorch, from an unpacked PyPI wheel, or from find_package(Torch). EPOCHCAST_TORCH_LIB is the folder of its
# libraries, EPOCHCAST_TORCH_SERIES is "2.11".
#
# The wheels' own TorchConfig.cmake stops where no CUDA toolkit is found, although libtorch_cpu.so needs nothing
# of CUDA but libcudart and libcupti at load time (two small wheels beside torch); so a CPU build links the two
# libraries itself.
add_library(epochcast_libtorch INTERFACE)
add_library(epochcast::libtorch ALIAS epochcast_libtorch)
if(EPOCHCAST_TORCH_DIR)
  if(NOT EXISTS ${EPOCHCAST_TORCH_DIR}/lib/libtorch_cpu.so)
    message(FATAL_ERROR "No LibTorch in ${EPOCHCAST_TORCH_DIR}: run env/deps, or give -DEPOCHCAST_TORCH_DIR= "
                        "or -DCMAKE_PREFIX_PATH= of your own, or -DEPOCHCAST_TORCH=OFF")
  endif()
  target_include_directories(epochcast_libtorch SYSTEM INTERFACE
    ${EPOCHCAST_TORCH_DIR}/include ${EPOCHCAST_TORCH_DIR}/include/torch/csrc/api/include)
  target_link_options(epochcast_libtorch INTERFACE -Wl,--as-needed -Wl,--allow-shlib-undefined)
  target_link_libraries(epochcast_libtorch INTERFACE
    ${EPOCHCAST_TORCH_DIR}/lib/libtorch_cpu.so ${EPOCHCAST_TORCH_DIR}/lib/libc10.so)
else()
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # the tests' folder links them too
  find_package(Torch REQUIRED)
  target_link_libraries(epochcast_libtorch INTERFACE ${TORCH_LIBRARIES})
  target_compile_options(epochcast_libtorch INTERFACE ${TORCH_CXX_FLAGS})
endif()

get_filename_component(torch_folder ${EPOCHCAST_TORCH_DIR}${TORCH_INSTALL_PREFIX} ABSOLUTE)
set(EPOCHCAST_TORCH_LIB ${torch_folder}/lib CACHE INTERNAL "")
if(EXISTS ${torch_folder}/version.py)  # of a wheel
  file(STRINGS ${torch_folder}/version.py version REGEX "^__version__")
else()
  file(STRINGS ${torch_folder}/build-version version LIMIT_COUNT 1)
endif()
string(REGEX MATCH "[0-9]+\\.[0-9]+" version "${version}")
set(EPOCHCAST_TORCH_SERIES ${version} CACHE INTERNAL "")

# The packages are release builds, and their headers differ with NDEBUG: at::RecordFunction has one member more without.
target_compile_definitions(epochcast_libtorch INTERFACE $<$<CONFIG:Debug>:NDEBUG>)

# An installed trainer looks for LibTorch beside itself, then where it was when the trainer was built.
# For the folders that make programs or libraries with it.
macro(find_torch_when_installed)
  list(APPEND CMAKE_INSTALL_RPATH $ORIGIN/../lib/torch/lib)
  if(EPOCHCAST_TORCH_DIR)
    list(APPEND CMAKE_INSTALL_RPATH ${EPOCHCAST_TORCH_DIR}/lib)
  endif()
  list(APPEND CMAKE_INSTALL_RPATH $ORIGIN/../lib/epochcast)  # of what the trainer opens for a run on a GPU
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)  # adds what lies outside of the source folder
endmacro()

target_link_libraries(epochcast_libtorch INTERFACE gloo_headers)
