#!/usr/bin/env bash
# without_sys_test.sh PROGRAM: where there is no /sys, as in some containers, the program computes, and no library adds a
# line of its own.
set -euo pipefail
program=$1
unshare -rm true 2>/dev/null || { echo "SKIPPED: without /sys: unshare is refused"; exit; }
for command in "run matmul recursive --shape m=33 --seconds 0.001" "run sort quicksort --shape n=1000 --seconds 0.001 --threads 2"; do
  # shellcheck disable=SC2086,SC2016  # words; the inner shell expands its own
  errors=$(unshare -rm sh -c 'mount -t tmpfs none /sys && exec "$@"' - "$program" $command 2>&1 >/dev/null) ||
    errors="exit status $? ${errors-}"
  [ -z "$errors" ] || { echo "FAILED: tallcache $command: $errors"; exit 1; }
done
