# The private Postgres cluster and the Redis of one instance.

# Prints the folder of the newest PostgreSQL server.
postgres_folder() { printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1; }

# Postgres refuses to run as root, so root runs it as the user `postgres`.
if ((EUID == 0)); then
    as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups)
else
    as_postgres=()
fi

# Sets cluster to <data>/postgres or to a folder that the user `postgres` can reach, and sets the folder of its sockets.
locate_cluster() {
    local name
    name=$(printf '%s' "$data" | sha256sum | cut -c1-12)
    cluster=$data/postgres
    if ((EUID == 0)) && ! "${as_postgres[@]}" test -x "$data"; then
        cluster=/var/lib/maru/$name/postgres
        say "The user postgres cannot reach $data, so the cluster is in $cluster"
    fi
    printf '%s\n' "$cluster" >"$data/cluster"
    mkdir -p "${cluster%/postgres}"
    if [[ $cluster != "$data"/* ]]; then chmod 711 "${cluster%/*/postgres}" "${cluster%/postgres}"; fi
    # The path of a Unix socket can have at most 107 bytes.
    sockets=${cluster%/postgres}/sockets
    if ((${#sockets} > 85)); then sockets=/tmp/maru-sockets-$name; fi
    mkdir -p "$sockets"
    # Another user can make it first, as a link to a folder that would get another owner.
    [[ ! -L $sockets ]] || fail "$sockets is a link; remove it"
    chmod 700 "$sockets"
    if ((EUID == 0)); then
        chown postgres: "$sockets"
        # The services run as a user of their own, and need a password.
        chmod 711 "$sockets"
    fi
}

# Creates the cluster under another name and renames it at the end, so that an interrupted start leaves no partial cluster.
create_cluster() {
    # deploy/restore --to ended between two steps.
    if [[ ! -e $cluster && -e $cluster.before ]]; then mv "$cluster.before" "$cluster"; fi
    [[ ! -s $cluster/PG_VERSION ]] || return 0
    say "Creating the Postgres cluster in $cluster"
    rm -rf "$cluster.new"
    mkdir -p "$cluster.new"
    if ((EUID == 0)); then chown postgres: "$cluster.new"; fi
    run_interruptibly "${as_postgres[@]}" "$(postgres_folder)/initdb" --pgdata="$cluster.new" --encoding=UTF8 \
        --locale=C.UTF-8 --data-checksums --auth=reject --auth-local=peer >"$data/logs/initdb.log" 2>&1 ||
        fail "initdb failed; see $data/logs/initdb.log"
    # The operating system's user of the cluster is its superuser. All others need a password.
    cat >"$cluster.new/pg_hba.conf" <<HBA
local all "$("${as_postgres[@]}" id -un)" peer
local maru auth,workspace,chat,realtime,payment scram-sha-256
host maru auth,workspace,chat,realtime,payment 127.0.0.1/32 scram-sha-256
HBA
    printf "include '%s'\n" maru.conf >>"$cluster.new/postgresql.conf"
    install -m 644 /dev/null "$cluster.new/maru.conf"
    mv "$cluster.new" "$cluster"
}

start_postgres() {
    { install -m 644 "$checkout/deploy/postgres/postgresql.conf" "$cluster/maru.conf.new" &&
        mv "$cluster/maru.conf.new" "$cluster/maru.conf"; } || keeps "$cluster/maru.conf" "${1:-}"
    local run_as=("${as_postgres[@]}")
    start postgres INT "$(postgres_folder)/postgres" -D "$cluster" -p "$postgres_port" \
        -c listen_addresses=127.0.0.1 -c unix_socket_directories="$sockets"
}

postgres_is_ready() { "$(postgres_folder)/pg_isready" --quiet --host="$sockets" --port="$postgres_port"; }

# Prints the part of the services' URLs after the password.
postgres_of_services() {
    if [[ -z $postgres_service ]]; then
        printf 'localhost:%s/maru?host=%s' "$postgres_port" "$sockets"
        return
    fi
    local hosts ports index
    IFS=, read -ra hosts <<<"$(sed -n 's/^host=//p' "$postgres_service")"
    IFS=, read -ra ports <<<"$(sed -n 's/^port=//p' "$postgres_service")"
    for index in "${!hosts[@]}"; do hosts[index]+=:${ports[index]:-${ports[0]:-5432}}; done
    printf '%s/maru' "$(joined "${hosts[@]}")"
}

# Runs psql as the superuser of the cluster.
superuser_psql() {
    if [[ -n ${postgres_service:-} ]]; then
        PGSERVICEFILE=$postgres_service PGSERVICE=maru psql --no-psqlrc --quiet "$@"
        return
    fi
    "${as_postgres[@]}" "$(postgres_folder)/psql" --no-psqlrc --quiet --host="$sockets" --port="$postgres_port" "$@"
}

create_database() {
    local role attempts=0
    printf '%s\n' "SELECT 'CREATE DATABASE maru' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'maru') \gexec" |
        superuser_psql --dbname=postgres --output=/dev/null || give_up "postgres refused its database"
    # A replica that is tried first may not have it yet, and libpq tries no other host then.
    until superuser_psql --dbname=maru --output=/dev/null --command='SELECT' 2>/dev/null || ((++attempts == 100)); do
        sleep 0.1
    done
    {
        for role in auth workspace chat realtime payment; do
            printf "\\\\setenv MARU_PASSWORD_%s '%s'\n" "${role^^}" "$(<"$data/secrets/postgres/$role")"
        done
        cat "$checkout/deploy/postgres/roles.sql"
    } | superuser_psql --dbname=maru --output=/dev/null || give_up "postgres refused its roles"
}

start_redis() {
    local run_as=(${as_service[@]+"${as_service[@]}"})
    mkdir -p "$data/redis"
    {
        cat "$checkout/deploy/redis/redis.conf" &&
            printf '%s\n' "bind 127.0.0.1" "port $redis_port" "dir \"$data/redis\"" \
                "requirepass $(<"$data/secrets/redis/password")"
    } >"$data/config/redis.conf.new" && mv "$data/config/redis.conf.new" "$data/config/redis.conf" ||
        keeps "$data/config/redis.conf" "${1:-}"
    give_to_services "$data/redis" "$data/config/redis.conf"
    start redis TERM redis-server "$data/config/redis.conf"
}

# Uses no client program, so that no command line has the password.
redis_is_ready() { port_answers "$redis_port" "AUTH $(<"$data/secrets/redis/password")\r\nPING\r\n" 2 +PONG; }
