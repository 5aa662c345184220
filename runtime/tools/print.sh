#!/bin/sh
ptx=
for word; do
  case $word in -ptx|--dump-ptx|-xptx) ptx=--ptx;; -*) ;; *) file=$word;; esac
done
if [ -z "$file" ]; then echo "$(basename "$0"): name the file to print" >&2; exit 1; fi
exec KEPLERSIM disasm $ptx "$file"
