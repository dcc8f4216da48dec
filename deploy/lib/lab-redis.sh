# The cluster of Redis that deploy/lab runs: three masters, and a replica of each.

redis_ranges=('0 5460' '5461 10922' '10923 16383')

# Runs a command at the node on PORT. No command line has the password.
# redis_of PORT WORD...
redis_of() { REDISCLI_AUTH=$(<"$data/secrets/redis") redis-cli -h 127.0.0.1 -p "$1" "${@:2}"; }

# Creates the password and the configuration of the nodes, and the files that name them.
prepare_redis() {
    local index node addresses=()
    [[ -s $data/secrets/redis ]] || head -c 32 /dev/urandom | sha256sum | cut -c1-48 >"$data/secrets/redis"
    : >"$data/nodes"
    for index in "${!nodes[@]}"; do
        node=${nodes[index]}
        redis_port_of[$node]=$((lab_redis_port + index))
        mkdir -p "$data/$node"
        # The times are those of docs/redis.md.
        {
            cat "$checkout/deploy/redis/redis.conf"
            printf '%s\n' "bind 127.0.0.1" "port ${redis_port_of[$node]}" "dir \"$data/$node\"" "cluster-enabled yes" \
                "cluster-port $((lab_redis_port + ${#nodes[@]} + index))" "cluster-node-timeout 1500" \
                "cluster-require-full-coverage no" "repl-diskless-sync-delay 0" \
                "requirepass $(<"$data/secrets/redis")" "masterauth $(<"$data/secrets/redis")"
        } >"$data/$node.conf"
        addresses+=("127.0.0.1:${redis_port_of[$node]}")
        printf '%s %s %s\n' "$node" "${redis_port_of[$node]}" "$data/$node" >>"$data/nodes"
    done
    printf 'redis+cluster://:%s@%s\n' "$(<"$data/secrets/redis")" "$(joined "${addresses[@]}")" >"$data/redis-url"
}

start_redis_node() { start "$1" TERM redis-server "$data/$1.conf"; }

redis_node_is_ready() { [[ $(redis_of "${redis_port_of[$1]}" PING 2>/dev/null) == PONG ]]; }

# Whether every node knows the master and the replica of every slot.
redis_is_whole() {
    local node
    for node in "${nodes[@]}"; do
        redis_of "${redis_port_of[$node]}" CLUSTER INFO 2>/dev/null | grep -q '^cluster_state:ok' || return 1
        # Each of the three ranges has four numbers, and two nodes with their port and id.
        (($(redis_of "${redis_port_of[$node]}" CLUSTER SLOTS | grep -cE '^[0-9a-f]{40}$') >= ${#nodes[@]})) || return 1
    done
}

# Whether every node knows all nodes. A node drops a handshake that is older than cluster-node-timeout, so each look introduces
# the missing nodes once more.
redis_knows_all() {
    local node index known port status=0
    for node in "${nodes[@]}"; do
        known=$(redis_of "${redis_port_of[$node]}" CLUSTER NODES) || return 1
        (($(grep -cvE '[ ,]handshake' <<<"$known") < ${#nodes[@]})) || continue
        status=1
        for index in "${!nodes[@]}"; do
            port=${redis_port_of[${nodes[index]}]}
            if [[ $known != *":$port@"* ]]; then
                redis_of "${redis_port_of[$node]}" CLUSTER MEET 127.0.0.1 "$port" $((lab_redis_port + ${#nodes[@]} + index))
            fi
        done
    done >/dev/null
    return $status
}

# Makes a cluster of the nodes at the first start.
join_redis() {
    local index port id
    if redis_of "$lab_redis_port" CLUSTER INFO | grep -q '^cluster_slots_assigned:16384'; then return; fi
    for index in "${!nodes[@]}"; do
        port=${redis_port_of[${nodes[index]}]}
        redis_of "$port" CLUSTER SET-CONFIG-EPOCH $((index + 1))
        if ((index < 3)); then redis_of "$port" CLUSTER ADDSLOTSRANGE ${redis_ranges[index]}; fi
    done >/dev/null
    await 30 "${nodes[0]}" redis_knows_all
    for index in 3 4 5; do
        id=$(redis_of "${redis_port_of[${nodes[index - 3]}]}" CLUSTER MYID)
        await 30 "${nodes[index]}" redis_replicates "${redis_port_of[${nodes[index]}]}" "$id"
    done
}

redis_replicates() { [[ $(redis_of "$1" CLUSTER REPLICATE "$2") == OK ]]; }

start_redis_lab() {
    local node
    prepare_redis
    say "Starting ${#nodes[@]} nodes of Redis"
    for node in "${nodes[@]}"; do start_redis_node "$node"; done
    for node in "${nodes[@]}"; do await 30 "$node" redis_node_is_ready "$node"; done
    join_redis
    await 60 "${nodes[0]}" redis_is_whole
    say "A cluster of Redis runs on ports $lab_redis_port to $((lab_redis_port + ${#nodes[@]} - 1))."
    say "  deploy/up --redis $data/redis-url"
}
