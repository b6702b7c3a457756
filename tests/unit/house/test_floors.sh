# Programs of test_floors.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Usage: callers: prints pairs of source files: the first uses a function or variable of the
# second. Reads the symbols of the program's object files.
callers() (
    build=$(dirname "$IOPING")
    cd "$IOPING_SOURCE" || return
    for file in src/*/*.c; do
        object=$build/${file%.c}.o
        [ ! -e "$object" ] || nm -P "$object" 2>/dev/null | sed "s|^|$file |"
    done | awk '
        $3 ~ /^[TDBRCV]$/ { where[$2] = $1 }
        $3 == "U" { from[++count] = $1; name[count] = $2 }
        END {
            for (i = 1; i <= count; i++)
                if (name[i] in where && where[name[i]] != from[i])
                    print from[i], where[name[i]]
        }' | sort -u
)

no_circle_of_files() {
    callers >pairs
    wc -l <pairs
    tsort pairs >order
}

# Usage: longest_chain: prints the number of files in the longest chain of includes, including
# the source file.
longest_chain() {
    cd "$IOPING_SOURCE" || return
    grep -H '^ *# *include "' src/*.c src/*/*.[ch] include/*/*.h |
        sed -E 's|^([^:]*/)([^/:]*):.*"(.*)".*|\1 \2 \3|' | awk '
        {
            file = $1 $2
            beside = $1 $3
            below = "include/" $3
            count[file]++
            list[file, count[file]] = (getline line <beside) >= 0 ? beside : below
            close(beside)
        }
        function depth(file, best, i, of) {
            if (file in known) return known[file]
            best = 0
            for (i = 1; i <= count[file]; i++) {
                of = depth(list[file, i])
                if (of > best) best = of
            }
            return known[file] = best + 1
        }
        END {
            for (file in count) if (depth(file) > most) most = depth(file)
            print most
        }'
}
