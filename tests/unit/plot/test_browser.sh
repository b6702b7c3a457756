# Programs of test_browser.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Usage: find_browser: prints the path of an installed browser. A script that would only install
# a browser does not count, because it fails for --version.
find_browser() {
    for browser in chromium chromium-browser google-chrome; do
        "$browser" --version >&2 && command -v "$browser" && break
    done
}

# Usage: browse BROWSER ARGUMENT...: runs a browser without a window, with a new profile. It
# needs no sandbox, because the pages are files of this machine.
browse() {
    browser=$1
    shift
    HOME=$PWD "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --no-first-run --disable-crash-reporter --user-data-dir="$PWD/profile" \
        --hide-scrollbars --force-device-scale-factor=1 "$@"
}
