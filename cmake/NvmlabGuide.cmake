# SPDX-License-Identifier: Apache-2.0
# What a page shows compiles: the blocks marked cpp are cut out of it. A block with an #include is a file as it stands; any
# other stands in a function that has a `library` and a `device`. A block with a main is a program.

# nvmlab_guide(NAME PAGE LIBRARY PROGRAMS): makes the library NAME of the blocks, linked to LIBRARY, and the programs
# NAME_N, whose names PROGRAMS gets.
function(nvmlab_guide name page library programs)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page}")
  file(READ "${page}" text)
  set(number 0)
  set(sources "")
  set(found "")
  while(TRUE)
    string(FIND "${text}" "\n```cpp\n" begin)
    if(begin EQUAL -1)
      break()
    endif()
    math(EXPR begin "${begin} + 8")
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "\n```\n" end)
    if(end EQUAL -1)
      message(FATAL_ERROR "${page}: a block of code has no end")
    endif()
    string(SUBSTRING "${text}" 0 ${end} code)
    string(SUBSTRING "${text}" ${end} -1 text)
    math(EXPR number "${number} + 1")

    set(file "${CMAKE_CURRENT_BINARY_DIR}/${name}_${number}.cpp")
    string(FIND "${code}" "#include" include)
    string(FIND "${code}" "int main(" main)
    if(include EQUAL -1)
      string(CONCAT code
        "#include <array>\n#include <iostream>\n#include <thread>\n#include <nvmlab/nvml.hpp>\n"
        "void block_${number}([[maybe_unused]] nvml::Library& library, [[maybe_unused]] nvml::Device& device) {\n"
        "{\n${code}\n}\n}\n")
    endif()
    file(CONFIGURE OUTPUT "${file}" CONTENT "@code@\n" @ONLY)
    if(main EQUAL -1)
      list(APPEND sources "${file}")
    else()
      add_executable(${name}_${number} "${file}")
      list(APPEND found ${name}_${number})
    endif()
  endwhile()

  set(targets ${found})
  if(sources)
    add_library(${name} OBJECT ${sources})
    list(APPEND targets ${name})
  endif()
  foreach(target IN LISTS targets)
    target_link_libraries(${target} PRIVATE ${library})
    target_compile_options(${target} PRIVATE -Wall -Wextra -Werror -Wno-unused-variable -Wno-unused-but-set-variable)
    set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests"
      CXX_CLANG_TIDY "")  # what shows one thing leaves others out
    add_dependencies(tests_binding ${target})
  endforeach()
  set(${programs} "${found}" PARENT_SCOPE)
endfunction()
