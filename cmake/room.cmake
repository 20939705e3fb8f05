# rhea_room(NAME [TORCH] [LINK targets...]): the folder's *.cpp files (and those of its sub-folders) become the static
# library rhea_NAME. A room that does not say TORCH does not see libtorch, so programs made of such rooms start in a
# millisecond.
# -Wrestrict cries wolf over std::string in g++ 12 (GCC bug 105651).
set(RHEA_WARNINGS -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wno-restrict -Werror)

add_library(rhea_options INTERFACE)
target_compile_options(rhea_options INTERFACE ${RHEA_WARNINGS} $<$<CONFIG:Release>:-O2>)
target_include_directories(rhea_options INTERFACE ${CMAKE_SOURCE_DIR})
target_link_libraries(rhea_options INTERFACE torch::fmt Threads::Threads)
if(RHEA_SANITIZE)
  # Under sanitizers g++ 12 takes std::regex for uninitialized (GCC's manual: -fsanitize gives false positives).
  target_compile_options(rhea_options INTERFACE -Wno-maybe-uninitialized -fsanitize=${RHEA_SANITIZE} -fno-omit-frame-pointer -g1 -fno-sanitize-recover=all)
  target_link_options(rhea_options INTERFACE -fsanitize=${RHEA_SANITIZE})
endif()

function(rhea_room name)
  cmake_parse_arguments(arg "TORCH" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    add_library(rhea_${name} INTERFACE)
    target_link_libraries(rhea_${name} INTERFACE rhea_options ${arg_LINK})
    return()
  endif()
  add_library(rhea_${name} STATIC ${sources})
  target_link_libraries(rhea_${name} PUBLIC rhea_options ${arg_LINK})
  if(arg_TORCH)
    target_link_libraries(rhea_${name} PUBLIC torch::torch)
    set_property(GLOBAL APPEND PROPERTY RHEA_TORCH_ROOMS rhea_${name})
  else()
    set_property(GLOBAL APPEND PROPERTY RHEA_LIGHT_ROOMS rhea_${name})
  endif()
endfunction()

# rhea_test(ROOM [extra targets...]): tests/unit/ROOM/*_test.cpp become the program test_ROOM.
function(rhea_test room)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${room}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${room} ${sources})
  target_link_libraries(test_${room} PRIVATE rhea_${room} ${ARGN} GTest::gtest_main)
  add_test(NAME unit.${room} COMMAND test_${room} --gtest_brief=1)
  set_tests_properties(unit.${room} PROPERTIES WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} TIMEOUT 600)
endfunction()
