#!/bin/sh
# Makes sure that Go, a JDK and Maven are there. On Debian and Ubuntu, as root
# or with a sudo that asks nothing, it installs the JDK and Maven; elsewhere it
# says in one line what to install. It may be run any number of times and
# prints nothing where nothing is missing.
set -eu
. "$(dirname "$0")/env.sh"

fail() {
	echo "setup: $*" >&2
	exit 2
}

# java_works tells whether there is a JDK that HBase runs on: 11 to 23, since
# the flags of its daemons need module support and Hadoop's login breaks on 24.
java_works() {
	javac=${JAVA_HOME:+$JAVA_HOME/bin/}javac
	major=$("$javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p' | head -n 1)
	[ -n "$major" ] && [ "$major" -ge 11 ] && [ "$major" -le 23 ]
}

mvn_works() { command -v mvn >/dev/null 2>&1; }

compiler_works() { command -v "${CC:-gcc}" >/dev/null 2>&1; }

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		DEBIAN_FRONTEND=noninteractive "$@"
	else
		sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
	fi
}

can_install() {
	command -v apt-get >/dev/null 2>&1 &&
		{ [ "$(id -u)" -eq 0 ] || sudo -n true >/dev/null 2>&1; }
}

# jdk_package prints the first JDK that this release packages.
jdk_package() {
	for name in openjdk-17-jdk-headless openjdk-21-jdk-headless default-jdk-headless; do
		candidate=$(apt-cache policy "$name" 2>/dev/null | sed -n 's/^ *Candidate: //p')
		if [ -n "$candidate" ] && [ "$candidate" != "(none)" ]; then
			echo "$name"
			return
		fi
	done
	echo default-jdk-headless
}

wanted=$(sed -n 's/^go \([0-9.]*\)$/\1/p' go.mod)
command -v "$GO" >/dev/null 2>&1 ||
	fail "Go is not on the PATH: install Go $wanted or newer from https://go.dev/dl"
"$GO" list -m >/dev/null 2>&1 ||
	fail "$("$GO" version) can't build this module: install Go $wanted or newer from https://go.dev/dl"

missing=""
java_works || missing="jdk"
mvn_works || missing="$missing maven"
compiler_works || missing="$missing gcc"
missing=${missing# }
[ -n "$missing" ] || exit 0

if ! can_install; then
	# Without a C compiler the tests still run, without the race detector.
	[ "$missing" != gcc ] || exit 0
	fail "missing: $missing. Install a JDK (17 is best, 11 to 23 work), Maven and a C compiler with your package manager, set JAVA_HOME where javac is not on the PATH, and run this again"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "setup: installing $missing" >&2
as_root apt-get update >"$log" 2>&1 || : # an old package list may still do
packages=""
for one in $missing; do
	case $one in
	jdk) packages="$packages $(jdk_package)" ;;
	gcc) packages="$packages gcc libc6-dev" ;;
	*) packages="$packages $one" ;;
	esac
done
# shellcheck disable=SC2086 # a list of package names
as_root apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends $packages >>"$log" 2>&1 || {
	tail -n 5 "$log" >&2
	fail "apt-get could not install$packages: install them by hand and run this again"
}
java_works || fail "javac is still not usable: point JAVA_HOME at a JDK 11 to 23"
mvn_works || fail "mvn is still not on the PATH"
