#!/bin/sh
# ptxas compiles PTX to machine code. Its options are nvcc's, but for these.
made="-o elf.o"
for left; do
  word=$1; shift
  case $word in
  -v|--verbose) set -- "$@" -Xptxas -v;;
  --gpu-name=*) set -- "$@" "-arch=${word#*=}";;
  --gpu-name) set -- "$@" -arch;;
  -c|--compile-only) ;;
  -o*|--output-file*) made=; set -- "$@" "$word";;
  *) set -- "$@" "$word";;
  esac
done
exec KEPLERSIM nvcc -cubin $made "$@"
