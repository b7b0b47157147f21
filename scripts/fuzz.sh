#!/bin/sh
# Runs every fuzz target for the given time each: fuzz.sh 10s
set -eu
. "$(dirname "$0")/env.sh"
time=${1:-10s}
for package in $("$GO" list ./...); do
	for target in $("$GO" test -list '^Fuzz' "$package" | grep '^Fuzz' || :); do
		echo "$package $target"
		"$GO" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "$package"
	done
done
