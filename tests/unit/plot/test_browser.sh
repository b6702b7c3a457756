# Programs of test_browser.c, see tests/support/commands.sh.
# shellcheck shell=sh

# The browser that there is, not a stand-in that would install it.
find_browser() {
    for browser in chromium chromium-browser google-chrome; do
        "$browser" --version >&2 && command -v "$browser" && break
    done
}

# Usage: browse BROWSER ARGUMENT...: a page of this machine needs no sandbox.
browse() {
    browser=$1
    shift
    HOME=$PWD "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --no-first-run --disable-crash-reporter --user-data-dir="$PWD/profile" \
        --hide-scrollbars --force-device-scale-factor=1 "$@"
}
