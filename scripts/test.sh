#!/bin/sh
# Runs every test, or with arguments passes them to go test instead of the
# usual ones. Packages without a real HBase run side by side; those with one
# share a cluster and run one after the other. The cluster is stopped at the
# end, however the tests end.
set -u
. "$(dirname "$0")/env.sh"
HBTUNE_REAL=${HBTUNE_REAL:-required}
export HBTUNE_REAL

real=$(grep -rlE --include='*_test.go' 'localtest\.|HBTUNE_REAL' . | xargs -r -n 1 dirname | sort -u)
# shellcheck disable=SC2086 # a list of folders
[ -z "$real" ] || real=$("$GO" list $real) || exit 2
unit=$("$GO" list ./... | grep -vxF -e "${real:-none}") || exit 2

race=-race
if ! command -v "${CC:-gcc}" >/dev/null 2>&1; then
	echo "test: no C compiler, so the race detector is off" >&2
	race=
fi
[ $# -gt 0 ] || set -- $race

stop() {
	bin/hbtune local down --test >/dev/null 2>&1 || :
}
trap stop EXIT
trap 'exit 130' INT TERM

status=0
# shellcheck disable=SC2086 # lists of packages
"$GO" test "$@" $unit || status=1
# Allocations are counted without the race detector.
case "$*" in
-race) "$GO" test -count=1 -run 'AllocatesNothing|DoNotAllocate' ./sweep/hbase ./sweep/load || status=1 ;;
esac
if [ -n "$real" ]; then
	# shellcheck disable=SC2086
	"$GO" test -p 1 -count=1 -timeout 20m "$@" $real || status=1
fi
exit $status
