# Replaces the containers of a service in the composition.

# Prints the addresses of containers in the network of the gateway.
addresses_of() {
    docker inspect --format '{{range $name, $network := .NetworkSettings.Networks}}{{$name}} {{$network.IPAddress}}{{"\n"}}{{end}}' "$@" |
        awk '$1 ~ /_edge$/ { print $2 }'
}

are_healthy() {
    local states
    states=$(docker inspect --format '{{.State.Health.Status}}' "$@") && ! grep -qvx healthy <<<"$states"
}

# Prints the instances of all services that the gateway calls.
upstreams() { compose exec -T gateway cat /tmp/gateway/generated/upstreams.conf; }

# Checks that the gateway's configuration has the addresses of containers.
are_known() {
    local address known
    known=$(upstreams) || return
    for address in $(addresses_of "$@"); do grep -qF "server $address:" <<<"$known" || return; done
}

# Checks that the gateway's configuration lacks an address.
is_forgotten() {
    local known
    known=$(upstreams) && ! grep -qF "server $1:" <<<"$known"
}

# Stops containers one after the other, and waits until their callers have forgotten each: the gateway tries a call on two
# instances, so at most one of those that it knows may be gone.
retire_containers() {
    local container address deadline
    for container in "$@"; do
        address=$(addresses_of "$container")
        docker stop --time 35 "$container" >/dev/null
        docker rm "$container" >/dev/null
        deadline=$((SECONDS + 30))
        until is_forgotten "$address" || ((SECONDS >= deadline)); do sleep 1; done
        # The services look up names every three seconds.
        sleep 4
    done
}

# Starts as many containers of service NAME as there are, waits until they are healthy and known to the gateway, and stops
# the old ones.
replace_containers() {
    local name=$1 old new deadline
    mapfile -t old < <(compose ps --quiet "$name")
    ((${#old[@]})) || fail "no container of $name runs; start the composition with docker compose up"
    compose up --detach --no-deps --no-recreate --no-build --scale "$name=$((${#old[@]} * 2))" "$name"
    mapfile -t new < <(compose ps --quiet "$name" | grep -vxF "$(printf '%s\n' "${old[@]}")")
    ((${#new[@]})) || fail "compose started no further container of $name"
    deadline=$((SECONDS + ${MARU_ROLL_SECONDS:-120}))
    until are_healthy "${new[@]}" && are_known "${new[@]}"; do
        if ((SECONDS >= deadline)); then
            docker rm --force "${new[@]}" >/dev/null
            fail "the new containers of $name did not become healthy, so the old ones stay"
        fi
        sleep 1
    done
    sleep 4
    retire_containers "${old[@]}"
    say "replaced $name"
}
