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

# Checks that the gateway's configuration has the addresses of containers.
are_known() {
    local address upstreams
    upstreams=$(compose exec -T gateway cat /tmp/gateway/generated/upstreams.conf) || return
    for address in $(addresses_of "$@"); do grep -qF "server $address:" <<<"$upstreams" || return; done
}

# Starts as many containers of service NAME as there are, waits until they are healthy and known to the gateway, and stops
# the old ones. The services look up names every three seconds, so they know the new containers by then.
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
    docker stop --time 35 "${old[@]}" >/dev/null
    docker rm "${old[@]}" >/dev/null
    say "replaced $name"
}
