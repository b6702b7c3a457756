# Programs of test_document.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Usage: write_dtd: writes plot.dtd, the document type of SVG 1.1 with the two attributes of
# WAI-ARIA that plots have. Newer versions of SVG have them too.
write_dtd() {
    cat >plot.dtd <<'END'
<!ENTITY % svg PUBLIC "-//W3C//DTD SVG 1.1//EN"
    "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
%svg;
<!ATTLIST svg role (img) #IMPLIED aria-labelledby IDREFS #IMPLIED>
END
}

# Usage: validate FILE...: validates documents. The catalog of Debian's package w3c-sgml-lib
# says where the document type of SVG is on this machine.
validate() {
    command -v xmllint >/dev/null || lacks 'needs the program xmllint' || return
    [ -e plot.dtd ] || write_dtd
    echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >empty.svg
    xmllint --nonet --noout --dtdvalid plot.dtd empty.svg 2>/dev/null ||
        lacks "needs the document type of SVG, Debian's package w3c-sgml-lib" || return
    xmllint --nonet --noout --dtdvalid plot.dtd "$@"
}
