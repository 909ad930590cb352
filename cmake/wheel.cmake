# Run by CPack after the archive is written (cmake/Package.cmake): the wheel of the same programs, beside it.
find_program(python NAMES python3)
if(python)
  execute_process(COMMAND ${python} -B ${CMAKE_CURRENT_LIST_DIR}/../python/wheel_backend.py ${CPACK_PACKAGE_FILES} ${CPACK_PACKAGE_DIRECTORY}
                  OUTPUT_VARIABLE wheel OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  message("CPack: - wheel: ${CPACK_PACKAGE_DIRECTORY}/${wheel} generated.")
else()
  message("CPack: - wheel: not generated, found no python3")
endif()
