
# Replacements for functions of the package bash-completion, if that is missing. They join the words
# that readline splits at = and :.
__attnconv_init_completion()
{
    COMPREPLY=()
    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i part last="" line="$COMP_LINE" bare
    words=() cword=0
    for i in "${!COMP_WORDS[@]}"; do
        part="${COMP_WORDS[i]}"
        bare="${line#"${line%%[![:space:]]*}"}"
        if [[ $i -gt 0 && "$bare" == "$line" && ("$part" =~ ^[=:]+$ || "$last" =~ ^[=:]+$) ]]; then
            words[${#words[@]}-1]+="$part"
        else
            words+=("$part")
        fi
        line="${bare#"$part"}"
        last="$part"
        [[ $i -eq $COMP_CWORD ]] && cword=$((${#words[@]} - 1))
    done
    cur="${words[cword]}"
    prev=""
    [[ $cword -gt 0 ]] && prev="${words[cword-1]}"
    return 0
}

# __attnconv_filedir completes files with the extension $1, or all; with -d only folders.
__attnconv_filedir()
{
    if declare -F _filedir >/dev/null 2>&1; then
        _filedir "$@"
        return
    fi
    local name
    while IFS= read -r name; do
        if [[ -d "$name" || -z "$1" || ("$1" != -d && "$name" =~ \.($1)$) ]]; then
            COMPREPLY+=("$name")
        fi
    done < <(compgen -f -- "$cur")
    compopt -o filenames 2>/dev/null
    return 0
}
