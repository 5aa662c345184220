# CMake's toolchain file for CUDA programs on keplersim: cmake -DCMAKE_TOOLCHAIN_FILE=keplersim.cmake
# keplersim is found on PATH, or by the variable KEPLERSIM.
if(DEFINED ENV{KEPLERSIM})
  set(keplersim $ENV{KEPLERSIM})
else()
  set(keplersim keplersim)
endif()
execute_process(COMMAND ${keplersim} toolkit OUTPUT_VARIABLE toolkit OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(CMAKE_CUDA_COMPILER ${toolkit}/bin/nvcc)
set(CUDAToolkit_ROOT ${toolkit})
set(CMAKE_CUDA_ARCHITECTURES 35 CACHE STRING "what Kepler's Tesla boards run")
