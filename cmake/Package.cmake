# `cmake --build --preset release --target package`: epochcast-VERSION-linux-x86_64.tar.gz in the build folder, which runs
# on any x86-64 Linux, unpacked anywhere. What `cmake --install` writes, and with it (cmake/bundle.cmake) a launcher for
# each program, the loader and all libraries but LibTorch. Beside it the same as a wheel, for pip (cmake/wheel.cmake).
set(CPACK_GENERATOR TGZ)
set(EPOCHCAST_ARCHIVE epochcast-${PROJECT_VERSION}-linux-x86_64)
set(EPOCHCAST_WHEEL epochcast-${PROJECT_VERSION}-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl)
set(CPACK_PACKAGE_FILE_NAME ${EPOCHCAST_ARCHIVE})  # include(CPack) changes this one
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/bundle.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/wheel.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
# Variables named CPACK_* reach the script.
set(CPACK_EPOCHCAST_BINARY_DIR ${PROJECT_BINARY_DIR})
set(CPACK_EPOCHCAST_TORCH_SERIES ${EPOCHCAST_TORCH_SERIES})
include(CPack)
