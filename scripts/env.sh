# Sourced by the scripts: goes to the project's folder and makes up for a bare
# environment, in which PATH may lack Go and HOME may be unset.
cd "$(dirname "$0")/.." || exit 2
PATH=${PATH:+$PATH:}/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin
HOME=${HOME:-$PWD/.cache/home}
GO=${GO:-go}
export PATH HOME
