# Programs of test_returns.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC1091,SC2154
. "$tests/support/returns.sh"
