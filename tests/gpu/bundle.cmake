# Writes gpu-campaign.tar.gz: the archive, the test programs, tests/gpu/campaign and the simulated device, for a machine with a
# GPU and nothing else.
# Usage: cmake -D SOURCE=... -D BUILD=... -D ARCHIVE=... -P bundle.cmake
set(top ${BUILD}/gpu-campaign)
file(REMOVE_RECURSE ${top})
file(MAKE_DIRECTORY ${top}/programs)
file(ARCHIVE_EXTRACT INPUT ${ARCHIVE} DESTINATION ${top})
file(GLOB cuda_library ${top}/*/lib/epochcast/libepochcast_cuda-*.so)
if(NOT cuda_library)
  message(FATAL_ERROR "the archive has no trainer for GPUs: run 'env/deps cuda', configure and build again")
endif()
foreach(program bench_steps bench_case gpu_losses)
  file(COPY_FILE ${BUILD}/bin/${program} ${top}/programs/${program})
  file(RPATH_REMOVE FILE ${top}/programs/${program})  # its libraries are those of the archive
  execute_process(COMMAND strip --strip-unneeded ${top}/programs/${program} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(COPY ${BUILD}/tests/gpu/simulated DESTINATION ${top})
file(GLOB checks RELATIVE ${SOURCE}/tests ${SOURCE}/tests/gpu/checks/*.py)
foreach(file gpu/campaign gpu/peer.py gpu/networks.py ${checks} bench/turns.py python/classifier_reference.py python/dcgan_reference.py)
  get_filename_component(folder ${file} DIRECTORY)
  file(COPY ${SOURCE}/tests/${file} DESTINATION ${top}/tests/${folder})
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E tar czf ${BUILD}/gpu-campaign.tar.gz gpu-campaign WORKING_DIRECTORY ${BUILD}
                COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${BUILD}/gpu-campaign.tar.gz bytes)
math(EXPR megabytes "${bytes} / 1000000")
message(STATUS "${BUILD}/gpu-campaign.tar.gz: ${megabytes} MB")
