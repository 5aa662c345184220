#!/bin/sh
code=1
while case ${1-} in -*) true;; *) false;; esac; do
  case $1 in
  --error-exitcode) code=${2-}; shift;;
  --error-exitcode=*) code=${1#*=};;
  --tool|--log-file|--save|--language|--print-level) shift;;
  esac
  shift
done
if [ $# = 0 ]; then echo "$(basename "$0"): name the program to check" >&2; exit 1; fi
program=$1
shift
exec KEPLERSIM run --functional --check --check-exit-code "$code" "$program" -- "$@"
