# libtorch as imported targets, without find_package(Torch): that one demands a CUDA toolkit with a CUDA wheel,
# spoils RUNPATH, and turns a later protobuf::libprotobuf into an empty alias.
#
#   torch::torch   libtorch with its headers (and libtorch_cuda where it is there)
#   torch::fmt     only the fmt headers that the wheel ships, for code that does not see torch
#
# Which libtorch: RHEA_TORCH_DIR (a folder with include/ and lib/), else the torch package of RHEA_PYTHON,
# else of the project's own .venv.

set(RHEA_TORCH_DIR "" CACHE PATH "libtorch: the folder that holds include/ and lib/ (an unpacked libtorch, or a wheel's torch/)")
set(RHEA_PYTHON "" CACHE FILEPATH "a Python whose torch package is to be used")

if(NOT RHEA_TORCH_DIR)
  set(python "${RHEA_PYTHON}")
  if(NOT python)
    set(python "${CMAKE_SOURCE_DIR}/.venv/bin/python")
  endif()
  if(NOT EXISTS "${python}")
    message(FATAL_ERROR "No libtorch: ${python} is not there. Run ./tools/setup.sh, or give -DRHEA_TORCH_DIR=<folder with include/ and lib/> or -DRHEA_PYTHON=<python with torch>.")
  endif()
  # find_spec does not import torch, which would take seconds.
  execute_process(
    COMMAND ${python} -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    OUTPUT_VARIABLE torch_dir OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    message(FATAL_ERROR "No libtorch: ${python} has no torch package. Run ./tools/setup.sh, or give -DRHEA_TORCH_DIR or -DRHEA_PYTHON.")
  endif()
else()
  set(torch_dir ${RHEA_TORCH_DIR})
endif()

set(torch_library ${torch_dir}/lib/libtorch_cpu.so)
if(NOT EXISTS ${torch_library})
  message(FATAL_ERROR "No libtorch in ${torch_dir}: ${torch_library} is not there.")
endif()
file(STRINGS ${torch_dir}/include/torch/headeronly/version.h version_lines REGEX "#define TORCH_VERSION_M(AJOR|INOR) ")
string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\1.\\2" RHEA_TORCH_VERSION "${version_lines}")
if(RHEA_TORCH_VERSION VERSION_LESS 2.11)
  message(FATAL_ERROR "libtorch ${RHEA_TORCH_VERSION} in ${torch_dir} is too old: 2.11 or newer is needed.")
endif()
message(STATUS "libtorch ${RHEA_TORCH_VERSION}: ${torch_dir}")

add_library(torch::torch INTERFACE IMPORTED GLOBAL)
target_include_directories(torch::torch SYSTEM INTERFACE ${torch_dir}/include ${torch_dir}/include/torch/csrc/api/include)
target_compile_definitions(torch::torch INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
# The wheel's own OpenMP run-time (libgomp.so.1, next to libtorch) serves our parallel regions too.
target_compile_options(torch::torch INTERFACE -fopenmp)
foreach(name c10 torch_cpu)
  add_library(torch::${name} SHARED IMPORTED GLOBAL)
  set_target_properties(torch::${name} PROPERTIES IMPORTED_LOCATION ${torch_dir}/lib/lib${name}.so)
  target_link_libraries(torch::torch INTERFACE torch::${name})
endforeach()
if(EXISTS ${torch_dir}/lib/libtorch_cuda.so)
  foreach(name c10_cuda torch_cuda)
    add_library(torch::${name} SHARED IMPORTED GLOBAL)
    set_target_properties(torch::${name} PROPERTIES IMPORTED_LOCATION ${torch_dir}/lib/lib${name}.so)
  endforeach()
  # Nothing of ours names a symbol of libtorch_cuda.so: its operators register themselves when it is loaded.
  target_link_libraries(torch::torch INTERFACE
    "-Wl,--no-as-needed" ${torch_dir}/lib/libtorch_cuda.so ${torch_dir}/lib/libc10_cuda.so "-Wl,--as-needed")
endif()
if(EXISTS ${torch_dir}/lib/libgomp.so.1)
  target_link_libraries(torch::torch INTERFACE ${torch_dir}/lib/libgomp.so.1)
endif()
set(RHEA_TORCH_LIBRARY_DIR ${torch_dir}/lib)

# A folder that holds nothing but fmt/, so that code without torch sees no other header of the wheel
# (its protobuf headers above all).
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK ${torch_dir}/include/fmt ${CMAKE_BINARY_DIR}/include/fmt SYMBOLIC)
add_library(torch::fmt INTERFACE IMPORTED GLOBAL)
target_include_directories(torch::fmt SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/include)
