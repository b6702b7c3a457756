# A command line is read here as the program reads it: letters may be bundled and names
# abbreviated, and what stands before a word decides whether it is a value, an option or
# a target. For bash 3.2 and later; no other file is needed.

_ioping_letter()
{
    local row
    for row in $rows; do
        [[ $row != "$1":* ]] || option=${row##*:}
    done
}

# Sets option to the last field of the row of the word $1, which has no "=".
_ioping_find()
{
    local row least name=${1#-}
    name=${name#-} option=
    [[ $1 != -? ]] || _ioping_letter "${1#-}"
    for row in $rows; do
        [[ -z $option ]] || return
        least=${row#*:} least=${least%:*} row=${row##*:}
        [[ $name != "$least"* || ${row%=} != "$name"* ]] || option=$row
    done
    [[ -n $option || ! $1 =~ $bundle ]] || _ioping_letter "${1#"${1%?}"}"
}

# Sets words to those up to the cursor, kept to the part of the last one that bash itself
# keeps: it takes it to be several, where there is a "=" or a ":" in it.
_ioping_split()
{
    local i last=-1 piece rest line=${COMP_LINE:0:COMP_POINT}
    for ((i = 0; i <= COMP_CWORD; i++)); do
        piece=${COMP_WORDS[i]} rest=${line#"${line%%[![:space:]]*}"}
        if ((last < 0)) || [[ $rest != "$line" ]]; then
            words[++last]=''
        fi
        ((i < COMP_CWORD)) || piece=$rest
        kept=${words[last]}
        words[last]+=$piece
        [[ $piece != [=:]* ]] || kept+=$piece
        line=${rest#"$piece"}
    done
}

# Files are left to bash, which knows how to quote them.
_ioping_files()
{
    compopt -o bashdefault -o default 2>/dev/null
}

# Offers what goes on as the word at the cursor begins: each of "${@:2}" behind $1.
_ioping_offer()
{
    local word
    for word in "${@:2}"; do
        [[ $1$word == "$current"?* || $1$word == "$current" && $word != *= ]] || continue
        [[ $word != *= ]] || compopt -o nospace 2>/dev/null
        word=$1$word
        COMPREPLY+=("${word#"$kept"}")
    done
}

# Offers values of option, behind the prefix $1.
_ioping_offer_values()
{
    local values='' file=''
    _ioping_values "$option"
    [[ -z $file ]] || _ioping_files
    # shellcheck disable=SC2086
    _ioping_offer "$1" $values
}

_ioping_offer_names()
{
    local dashes=$1 row names=''
    for row in $rows; do
        row=${row##*:}
        names+=" ${row%=}"
    done
    # shellcheck disable=SC2086
    _ioping_offer "$dashes" $names
    [[ -n ${COMPREPLY[*]} && $current != -? || ! $current =~ $bundle ]] ||
        COMPREPLY+=("$current")
}

_ioping()
{
    local IFS=$' \t\n' rows bundle option='' kept='' current i
    local -a words
    COMPREPLY=()
    _ioping_table
    _ioping_split
    for ((i = 1; i < ${#words[@]} - 1; i++)); do
        if [[ $option == *= ]]; then
            option=
        elif [[ ${words[i]} == -- ]]; then
            _ioping_files
            return
        elif [[ ${words[i]} == -?* && ${words[i]} != *=* ]]; then
            _ioping_find "${words[i]}"
        fi
    done
    current=${words[i]}
    if [[ $option == *= ]]; then
        _ioping_offer_values ''
    elif [[ $current == -*=* ]]; then
        _ioping_find "${current%%=*}"
        _ioping_offer_values "${current%%=*}="
    elif [[ $current == --* ]]; then
        _ioping_offer_names --
    elif [[ $current == -* ]]; then
        _ioping_offer_names -
    else
        _ioping_files
    fi
}

# Before bash 4 a function cannot ask for files, so they are offered for all it leaves.
if type compopt >/dev/null 2>&1; then
    complete -F _ioping ioping
else
    complete -o bashdefault -o default -F _ioping ioping
fi
