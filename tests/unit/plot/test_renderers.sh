# The programs of test_renderers.c are those of test_browser.c.
# shellcheck shell=sh disable=SC1091,SC2154
. "$tests/unit/plot/test_browser.sh"
