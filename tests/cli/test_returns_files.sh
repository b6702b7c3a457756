# Programs of test_returns_files.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC1091,SC2154
. "$tests/support/returns.sh"
