# Chooses ports: the requested ones, those remembered in the data folder, the usual ones, or free ones.

port_is_taken() {
    local hexadecimal
    printf -v hexadecimal '%04X' "$1"
    # State 0A is LISTEN.
    grep -qE "^ *[0-9]+: [0-9A-F]+:$hexadecimal [0-9A-F]+:0000 0A " /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

any_port_is_taken() {
    local port
    for ((port = $1; port < $1 + $2; port++)); do
        if port_is_taken "$port"; then return 0; fi
    done
    return 1
}

# Claims COUNT ports from BASE for this instance. No other instance of this user takes them while it runs.
claim_ports() {
    local base=$1 count=$2 folder=/tmp/maru-ports-$UID descriptor
    mkdir -p "$folder"
    # Everybody can make it first, with links to files of this user, which would be emptied.
    [[ -O $folder && ! -L $folder ]] || fail "$folder belongs to another user; remove it"
    chmod 700 "$folder"
    exec {descriptor}>"$folder/$base"
    if flock -n "$descriptor" && ! any_port_is_taken "$base" "$count"; then return 0; fi
    exec {descriptor}>&-
    return 1
}

# Sets the variable NAME to the first of COUNT ports and remembers it.
# Arguments: NAME COUNT ASKED USUAL. ASKED may be empty; 0 means any free port.
choose_ports() {
    local name=$1 count=$2 asked=$3 usual=$4 remembered candidate
    remembered=$(remembered_port "$name")
    if [[ -n $asked && $asked != 0 ]]; then
        claim_ports "$asked" "$count" || fail "port $asked is taken (or one of the $count from there, for $name); choose another"
        candidate=$asked
    elif [[ -n $remembered ]] && claim_ports "$remembered" "$count"; then
        candidate=$remembered
    elif [[ $asked != 0 && -n $usual ]] && claim_ports "$usual" "$count"; then
        candidate=$usual
    else
        # Stay below the range that the kernel uses for outgoing connections.
        local attempt
        for ((attempt = 0; attempt < 200; attempt++)); do
            candidate=$((10000 + RANDOM % 1100 * 20))
            if claim_ports "$candidate" "$count"; then break; fi
        done
    fi
    printf -v "$name" '%s' "$candidate"
    remember_port "$name" "$candidate"
}

remembered_port() { sed -n "s/^$1=//p" "$data/ports" 2>/dev/null || true; }

remember_port() {
    { grep -v "^$1=" "$data/ports" 2>/dev/null || true; printf '%s=%s\n' "$1" "$2"; } >"$data/ports.new"
    mv "$data/ports.new" "$data/ports"
}
