# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include_guard()

# tilefold_library(NAME sources... [DEPENDS targets...] [LINK libraries...]): a static library that sees MLIR.
# Debian's LLVM is built without exceptions; ours follows, so that nothing is thrown through its frames.
function(tilefold_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tilefold_mlir_target(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# What every target that includes MLIR headers needs.
function(tilefold_mlir_target name)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE -fno-exceptions -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)
  # Parsing MLIR's headers is nine tenths of a compilation; targets share precompiled copies. Each source then pays for all
  # templates that the headers leave to be instantiated, so that folders without the GPU's dialects have a copy without
  # them. Tools are compiled as libraries are, or they could not use it; tests, which are optimised otherwise, cannot.
  get_target_property(type ${name} TYPE)
  string(FIND "${CMAKE_CURRENT_SOURCE_DIR}/" "${CMAKE_SOURCE_DIR}/codegen/" in_codegen)
  if(name MATCHES "^TilefoldPrecompiled" OR (type STREQUAL "EXECUTABLE" AND NOT in_codegen EQUAL 0))
    return()
  endif()
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
  if(in_codegen EQUAL 0)
    target_precompile_headers(${name} REUSE_FROM TilefoldPrecompiled)
  else()
    target_precompile_headers(${name} REUSE_FROM TilefoldPrecompiledTile)
  endif()
endfunction()

# tilefold_precompiled(NAME HEADER): a precompiled header for libraries to reuse.
function(tilefold_precompiled name header)
  tilefold_library(${name} cmake/Precompiled.cpp)
  target_precompile_headers(${name} PRIVATE ${header})
endfunction()

# tilefold_tablegen(TARGET FILE.td out.inc -gen-... [out2.inc -gen-...]): runs mlir-tblgen with the repository as include root.
function(tilefold_tablegen target file)
  set(outputs)
  list(LENGTH ARGN count)
  math(EXPR last "${count} - 1")
  foreach(i RANGE 0 ${last} 2)
    list(GET ARGN ${i} output)
    math(EXPR j "${i} + 1")
    list(GET ARGN ${j} generator)
    separate_arguments(generator)
    set(path ${CMAKE_CURRENT_BINARY_DIR}/${output})
    add_custom_command(
      OUTPUT ${path}
      COMMAND ${MLIR_TABLEGEN_EXE} ${generator} -I ${CMAKE_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS}
              ${CMAKE_CURRENT_SOURCE_DIR}/${file} -o ${path} -d ${path}.d
      DEPFILE ${path}.d
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${MLIR_TABLEGEN_EXE}
      VERBATIM)
    list(APPEND outputs ${path})
  endforeach()
  add_custom_target(${target} DEPENDS ${outputs})
endfunction()
