# Replaces the services of one instance, one by one: the new process listens beside the old one until it is ready.

# Each service has two addresses of its own and uses them in turn, so that the old and the new process have different ones.
declare -A turn=()
shares_ports=false

# Prints the port that a process of service NAME shares with no other.
instance_port() { printf '%s' "$((instances_port + public_port[$1] * 2 - services_port * 2 + ${turn[$1]:-0}))"; }

# Prints the addresses that processes of service NAME have in turn.
instance_addresses() {
    local first=$((instances_port + public_port[$1] * 2 - services_port * 2))
    printf '127.0.0.1:%s 127.0.0.1:%s' "$first" "$((first + 1))"
}

# Replaces the process of service NAME. If the new process does not become ready, the old one stays.
replace_service() {
    local name=$1 old=old-$1 deadline=$((SECONDS + ready_within)) shares_ports=true
    is_running "$name" || return
    turn[$name]=$((1 - ${turn[$name]:-0}))
    write_configuration "$name" || {
        turn[$name]=$((1 - turn[$name]))
        return 1
    }
    process_ids[$old]=${process_ids[$name]}
    record "$old" "${process_ids[$old]}"
    start_service "$name"
    until answers "$(instance_port "$name")" /readyz; do
        if ! is_running "$name" || ((SECONDS >= deadline)); then
            keep_old "$name"
            return 1
        fi
        restart_ended
        sleep 0.05
    done
    # The old process serves the calls that it has, and the connections that wait for it.
    send_signal TERM "$old"
    deadline=$((SECONDS + 35))
    while is_running "$old" && ((SECONDS < deadline)); do
        restart_ended
        sleep 0.05
    done
    stop TERM 0 "$old"
}

# Ends a new process that did not become ready and gives its name back to the old one.
keep_old() {
    local name=$1 old=old-$1
    stop TERM 5 "$name"
    turn[$name]=$((1 - turn[$name]))
    process_ids[$name]=${process_ids[$old]}
    record "$name" "${process_ids[$name]}"
    unset "process_ids[$old]"
    rm -f "$data/run/$old.pid"
    # If the old process ends, it starts with its own address again.
    shares_ports=false write_configuration "$name"
}

# Replaces the services that the file run/roll lists after the seconds in which each must become ready, and writes the outcome of each to
# run/rolled, a line at a time. On a full disk the lines are lost, and nothing else.
roll() {
    local name ready_within outcome=finished names
    mv "$data/run/roll" "$data/run/rolling"
    : >"$data/run/rolled" || true
    {
        read -r ready_within
        mapfile -t names
    } <"$data/run/rolling"
    for name in "${names[@]}"; do
        say "$(date -u +%FT%TZ) replacing $name" || true
        if replace_service "$name"; then
            printf 'replaced %s\n' "$name" >>"$data/run/rolled" || true
        else
            outcome="$name did not become ready, so its old process stays; see $data/logs/$name.log"
            break
        fi
    done
    if [[ $outcome == finished ]] && ! reload_gateway; then outcome="the gateway keeps its configuration; see $data/logs/gateway.log"; fi
    say "$(date -u +%FT%TZ) rolling: $outcome" || true
    printf 'end %s\n' "$outcome" >>"$data/run/rolled" || true
    # Last, because the next deploy/roll waits for it.
    rm -f "$data/run/rolling"
}

# Gives nginx its configuration again if it has changed.
reload_gateway() {
    local before
    before=$(gateway_checksum)
    render_gateway || return
    [[ $(gateway_checksum) != "$before" ]] || return 0
    nginx -t -q -p "$data/gateway" -c "$data/gateway/nginx.conf" >>"$data/logs/gateway.log" 2>&1 || return
    send_signal HUP gateway
}

gateway_checksum() { cat "$data"/gateway/*.conf "$data"/gateway/generated/*.conf | sha256sum; }
