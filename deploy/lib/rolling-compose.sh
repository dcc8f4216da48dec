# Replaces the containers of a service in the composition.

# Prints the addresses of a container in the network of the gateway.
addresses_of() {
    docker inspect --format '{{range $name, $network := .NetworkSettings.Networks}}{{$name}} {{$network.IPAddress}}{{"\n"}}{{end}}' "$1" |
        awk '$1 ~ /_edge$/ { print $2 }'
}

is_healthy() { [[ $(docker inspect --format '{{.State.Health.Status}}' "$1") == healthy ]]; }

# Prints the instances of all services that the gateway calls.
upstreams() { compose exec -T gateway cat /tmp/gateway/generated/upstreams.conf; }

# Checks that the gateway's configuration has the addresses of a container.
is_known() {
    local address known
    known=$(upstreams) || return
    for address in $(addresses_of "$1"); do grep -qF "server $address:" <<<"$known" || return; done
}

# Checks that the gateway's configuration lacks an address.
is_forgotten() {
    local known
    known=$(upstreams) && ! grep -qF "server $1:" <<<"$known"
}

# Starts one more container of service NAME, and waits until it is healthy and known to the gateway.
start_another() {
    local name=$1 containers new deadline
    mapfile -t containers < <(compose ps --quiet "$name")
    compose up --detach --no-deps --no-recreate --no-build --scale "$name=$((${#containers[@]} + 1))" "$name"
    new=$(compose ps --quiet "$name" | grep -vxF "$(printf '%s\n' "${containers[@]}")") ||
        fail "compose started no further container of $name"
    deadline=$((SECONDS + ${MARU_ROLL_SECONDS:-120}))
    until is_healthy "$new" && is_known "$new"; do
        if ((SECONDS >= deadline)); then
            docker rm --force "$new" >/dev/null
            fail "a new container of $name did not become healthy, so the old ones stay"
        fi
        sleep 1
    done
    # The services look up names every three seconds.
    sleep 4
}

# Stops a container, and waits until its callers have forgotten it.
retire() {
    local address deadline
    address=$(addresses_of "$1")
    docker stop --time 35 "$1" >/dev/null
    docker rm "$1" >/dev/null
    deadline=$((SECONDS + 30))
    until is_forgotten "$address" || ((SECONDS >= deadline)); do sleep 1; done
    sleep 4
}

# Replaces the containers of service NAME one by one. The gateway tries a call on two instances, so at most one of those that it
# knows may be starting or gone.
replace_containers() {
    local name=$1 old container
    mapfile -t old < <(compose ps --quiet "$name")
    ((${#old[@]})) || fail "no container of $name runs; start the composition with docker compose up"
    for container in "${old[@]}"; do
        start_another "$name"
        retire "$container"
    done
    say "replaced $name"
}
