# The engines that deploy/lab runs, and the cluster of Patroni.

declare -A postgres_port_of=() api_port=() redis_port_of=() ended_at=()

# Creates the secrets and the configuration of etcd and the nodes, and the files that name them.
prepare_lab() {
    local index node
    postgres_ports=() api_ports=()
    for index in "${!nodes[@]}"; do
        postgres_ports+=($((lab_postgres_port + index)))
        api_ports+=($((lab_api_port + index)))
    done
    [[ -s $data/secrets/superuser ]] || head -c 32 /dev/urandom | sha256sum | cut -c1-48 >"$data/secrets/superuser"
    mkdir -p "$home"
    install -m 644 "$checkout/deploy/postgres/postgresql.conf" "$home/maru.conf"
    : >"$data/nodes"
    for index in "${!nodes[@]}"; do
        node=${nodes[index]}
        postgres_port_of[$node]=${postgres_ports[index]} api_port[$node]=${api_ports[index]}
        mkdir -p "$home/$node"
        write_patroni_configuration "$node"
        printf '%s %s %s %s\n' "$node" "${postgres_ports[index]}" "${api_ports[index]}" "$home/$node/data" >>"$data/nodes"
    done
    cat >"$data/service.conf" <<SERVICE
[maru]
host=$(joined "${nodes[@]/*/127.0.0.1}")
port=$(joined "${postgres_ports[@]}")
user=postgres
password=$(<"$data/secrets/superuser")
dbname=postgres
target_session_attrs=read-write
connect_timeout=3
SERVICE
    if ((EUID == 0)); then chown -R postgres: "$home" && chmod 700 "$home"; fi
}

joined() { local IFS=,; printf '%s' "$*"; }

# The times are those of docs/postgres.md. In tests the lock of the leader also outlives a machine that stands still: without it another
# node would become the primary.
write_patroni_configuration() {
    cat >"$home/$1/patroni.yml" <<YAML
scope: maru
name: $1
restapi:
  listen: 127.0.0.1:${api_port[$1]}
  connect_address: 127.0.0.1:${api_port[$1]}
# The newer API of etcd, \`etcd3\`, lets a node that continues after a freeze take the lock back without comparing it in
# Patroni 3.0: acknowledged writes of the new primary are then lost. This API compares.
etcd:
  host: 127.0.0.1:$lab_etcd_port
bootstrap:
  dcs:
    ttl: $(patiently 10)
    loop_wait: 2
    retry_timeout: 3
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters:
        max_connections: 500
        wal_keep_size: 256MB
  initdb:
    - encoding: UTF8
    - locale: C.UTF-8
    - data-checksums
postgresql:
  listen: 127.0.0.1:${postgres_port_of[$1]}
  connect_address: 127.0.0.1:${postgres_port_of[$1]}
  data_dir: $home/$1/data
  bin_dir: $(postgres_folder)
  custom_conf: $home/maru.conf
  pgpass: $home/$1/pgpass
  parameters:
    unix_socket_directories: $home/$1
    shared_buffers: 64MB
  authentication:
    superuser: {username: postgres, password: $(<"$data/secrets/superuser")}
    replication: {username: replicator, password: $(<"$data/secrets/superuser")}
  basebackup:
    - checkpoint: fast
  pg_hba:
    - local all postgres scram-sha-256
    - host all all 127.0.0.1/32 scram-sha-256
    - host replication replicator 127.0.0.1/32 scram-sha-256
YAML
}

# Starts the nodes. Those with data start first, if others have none: only they can be the leader of those data.
start_nodes() {
    local node with_data=() without=()
    for node in "${nodes[@]}"; do
        if [[ -e $home/$node/data/PG_VERSION ]]; then with_data+=("$node"); else without+=("$node"); fi
    done
    for node in "${with_data[@]}"; do start_node "$node"; done
    for node in "${with_data[@]}"; do await 120 "$node" patroni_is_ready "$node"; done
    for node in "${without[@]}"; do start_node "$node"; done
    for node in "${without[@]}"; do await 120 "$node" patroni_is_ready "$node"; done
}

start_etcd() {
    local run_as=("${as_postgres[@]}") peer=http://127.0.0.1:$((lab_etcd_port + 1))
    start etcd TERM etcd --enable-v2 --name lab --data-dir "$home/etcd" --listen-client-urls "http://127.0.0.1:$lab_etcd_port" \
        --advertise-client-urls "http://127.0.0.1:$lab_etcd_port" --listen-peer-urls "$peer" \
        --initial-advertise-peer-urls "$peer" --initial-cluster "lab=$peer"
}

# Whether a standby confirms commits.
lab_is_synchronous() {
    curl --silent --max-time 2 "http://127.0.0.1:$lab_api_port/cluster" | grep -q sync_standby
}

# Ends the Postgres of a killed Patroni, which would stay.
end_postgres() {
    local process file=$home/$1/data/postmaster.pid
    process=$(head -n 1 "$file" 2>/dev/null) || return 0
    if [[ $(readlink "/proc/$process/cwd") == "$home/$1/data" ]]; then kill -QUIT "$process" 2>/dev/null || true; fi
}

patroni_is_ready() { curl --silent --fail --max-time 2 --output /dev/null "http://127.0.0.1:${api_port[$1]}/readiness"; }
etcd_is_ready() { curl --silent --fail --max-time 2 --output /dev/null "http://127.0.0.1:$lab_etcd_port/health"; }

start_patroni() {
    local run_as=("${as_postgres[@]}")
    start "$1" TERM env PATH="$(postgres_folder):$PATH" LANG=C.UTF-8 patroni "$home/$1/patroni.yml"
}

start_postgres_lab() {
    prepare_lab
    say "Starting etcd and ${#nodes[@]} nodes"
    start_etcd
    await 30 etcd etcd_is_ready
    start_nodes
    # With a strict mode, writes begin when a second node confirms them.
    await 60 node1 lab_is_synchronous
    say "Postgres runs on ports ${postgres_ports[*]}, Patroni's API on ${api_ports[*]}."
    say "  deploy/up --postgres $data/service.conf"
}

# start_node NAME
start_node() {
    case $what in
        redis) start_redis_node "$1" ;;
        citus) start_citus_node "$1" ;;
        *) start_patroni "$1" ;;
    esac
}

# Starts nodes again that ended at least 20 seconds ago: longer than the cluster needs to choose another primary. A node
# with a file NAME.now in the data folder returns at once, and one with NAME.away waits until that is removed.
return_nodes() {
    local node rest=20
    # A primary that returns before its lock has ended would go on as the primary.
    if [[ $what == postgres ]]; then rest=$(patiently 20); fi
    if [[ $what == postgres ]] && ! is_running etcd; then give_up "etcd ended"; fi
    for node in "${nodes[@]}"; do
        if is_running "$node"; then continue; fi
        : "${ended_at[$node]:=$SECONDS}"
        if [[ -e $data/$node.away ]]; then continue; fi
        if [[ -e $data/$node.now ]] || ((SECONDS - ended_at[$node] >= rest)); then
            rm -f "$data/$node.now"
            wait "${process_ids[$node]}" 2>/dev/null || true
            unset "ended_at[$node]"
            if [[ $what == postgres ]]; then end_postgres "$node"; fi
            say "$(date -u +%FT%TZ) $node returns"
            start_node "$node"
        fi
    done
}
