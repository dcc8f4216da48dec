# The cluster of Citus that deploy/lab runs: a coordinator, and two workers that have the messages.

# psql at NODE as the superuser. No command line has the password.
# citus_psql NODE WORD...
citus_psql() {
    PGPASSWORD=$(<"$data/secrets/superuser") psql --no-psqlrc --quiet --host=127.0.0.1 --port="${postgres_port_of[$1]}" \
        --username=postgres --set=ON_ERROR_STOP=1 --output=/dev/null "${@:2}"
}

# Creates the servers at the first start, and the files that name them.
prepare_citus() {
    local index node
    [[ -e $(postgres_folder)/../lib/citus.so ]] || fail "Citus is not installed for the Postgres of $(postgres_folder)"
    [[ -s $data/secrets/superuser ]] || head -c 32 /dev/urandom | sha256sum | cut -c1-48 >"$data/secrets/superuser"
    mkdir -p "$home"
    install -m 644 "$checkout/deploy/postgres/postgresql.conf" "$home/maru.conf"
    if ((EUID == 0)); then chown postgres: "$home" && chmod 700 "$home"; fi
    : >"$data/nodes"
    for index in "${!nodes[@]}"; do
        node=${nodes[index]}
        postgres_port_of[$node]=$((lab_postgres_port + index))
        printf '%s %s %s\n' "$node" "${postgres_port_of[$node]}" "$home/$node/data" >>"$data/nodes"
        [[ -s $home/$node/data/PG_VERSION ]] || create_citus_node "$node"
    done
    cat >"$data/service.conf" <<SERVICE
[maru]
host=127.0.0.1
port=$lab_postgres_port
user=postgres
password=$(<"$data/secrets/superuser")
dbname=postgres
connect_timeout=3
SERVICE
}

# The server is created under another name and renamed at the end, so that an interrupted start leaves no partial one.
create_citus_node() {
    local new=$home/$1/new
    rm -rf "$new"
    "${as_postgres[@]}" mkdir -p "$home/$1"
    "${as_postgres[@]}" tee "$home/$1/password" <"$data/secrets/superuser" >/dev/null
    "${as_postgres[@]}" "$(postgres_folder)/initdb" --pgdata="$new" --encoding=UTF8 --locale=C.UTF-8 --data-checksums \
        --username=postgres --auth-host=scram-sha-256 --auth-local=scram-sha-256 --pwfile="$home/$1/password" \
        >"$data/logs/initdb.log" 2>&1 || fail "initdb failed; see $data/logs/initdb.log"
    rm "$home/$1/password"
    # Citus answers changes of several workspaces in two phases.
    printf '%s\n' "include '$home/maru.conf'" "shared_preload_libraries = 'citus'" "max_prepared_transactions = 200" \
        "citus.node_conninfo = 'sslmode=disable'" "shared_buffers = '64MB'" >>"$new/postgresql.conf"
    mv "$new" "$home/$1/data"
}

start_citus_node() {
    local run_as=("${as_postgres[@]}")
    start "$1" INT "$(postgres_folder)/postgres" -D "$home/$1/data" -p "${postgres_port_of[$1]}" \
        -c listen_addresses=127.0.0.1 -c unix_socket_directories="$home/$1"
}

citus_node_is_ready() { "$(postgres_folder)/pg_isready" --quiet --host=127.0.0.1 --port="${postgres_port_of[$1]}"; }

# Makes a cluster of the servers. Each step can be repeated.
join_citus() {
    local node
    for node in "${nodes[@]}"; do
        citus_psql "$node" --dbname=postgres <<'SQL'
select 'create database maru' where not exists (select from pg_database where datname = 'maru') \gexec
SQL
        citus_psql "$node" --dbname=maru --command='create extension if not exists citus'
    done
    # The coordinator's sessions at workers need a password; roles.sql adds that of chat-service.
    {
        printf "delete from pg_dist_authinfo where rolename = 'postgres';\n"
        printf "insert into pg_dist_authinfo values (0, 'postgres', 'password=%s');\n" "$(<"$data/secrets/superuser")"
        printf "select citus_set_coordinator_host('127.0.0.1', %s);\n" "${postgres_port_of[node1]}"
        printf "select citus_add_node('127.0.0.1', %s);\n" "${postgres_port_of[node2]}" "${postgres_port_of[node3]}"
    } | citus_psql node1 --dbname=maru
}

start_citus_lab() {
    local node
    prepare_citus
    say "Starting a coordinator and two workers of Citus"
    for node in "${nodes[@]}"; do start_citus_node "$node"; done
    for node in "${nodes[@]}"; do await 60 "$node" citus_node_is_ready "$node"; done
    join_citus || give_up "node1 refused its workers"
    say "A cluster of Citus runs on ports $lab_postgres_port to $((lab_postgres_port + ${#nodes[@]} - 1))."
    say "  deploy/up --postgres $data/service.conf, with chat_engine = citus in settings/chat-service.conf"
}
