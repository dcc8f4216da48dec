# The archive of the cluster that deploy/lab runs: its leader archives.

# Prints the name of the node that is the leader.
lab_leader() {
    curl --silent --max-time 2 "http://127.0.0.1:$lab_api_port/cluster" | jq -r '.members[] | select(.role == "leader") | .name'
}

# Defines the functions of archive.sh for a node. archive_of_lab NODE
archive_of_lab() {
    cluster=$home/$1/data sockets=$home/$1 postgres_port=${postgres_port_of[$1]}
    archive_state=$home/archiving archive_config=$home/archiving/pgbackrest.conf postgres_service=$data/service.conf
    mkdir -p "$archive_state/lock"
    [[ -e $home/archive ]] || make_folder_for_postgres "$home/archive"
    if ((EUID == 0)); then chown -R postgres: "$archive_state"; fi
    { pgbackrest_settings "$home/archive" "$archive_state" && say 'pg1-user=postgres'; } | write_for_postgres "$archive_config"
    archive_of_instance
    pgbackrest_run() {
        (cd / && PGPASSWORD=$(<"$data/secrets/superuser") "${as_postgres[@]}" pgbackrest --config="$archive_config" --stanza=maru "$@")
    }
    # Patroni gives the settings to all nodes, so that another leader continues the archive.
    set_archive_command() {
        local command
        command=$(archive_command "$archive_config")
        jq --null-input --arg command "$command" \
            '{postgresql: {parameters: {archive_command: $command, archive_timeout: "60s"}}}' |
            curl --silent --show-error --fail --max-time 10 --request PATCH --data @- --output /dev/null \
                "http://127.0.0.1:$lab_api_port/config"
        until [[ $(archive_sql --command='SHOW archive_command') == "$command" ]]; do sleep 0.1; done
    }
}

# deploy/lab backup
back_up_lab() {
    local leader
    leader=$(lab_leader)
    [[ -n $leader ]] || fail "the cluster has no leader"
    archive_of_lab "$leader"
    make_archive "$days"
}

# Prints the node that was the leader at last.
last_leader() {
    local node
    for node in "${nodes[@]}"; do
        LC_ALL=C "$(postgres_folder)/pg_controldata" "$home/$node/data" 2>/dev/null | awk -F ':  +' -v node="$node" -v changed="$(
            stat -c %Y "$home/$node/data/global/pg_control")" '
            $1 == "Database cluster state" { state = $2 }
            $1 == "Latest checkpoint'"'"'s TimeLineID" { timeline = $2 }
            END { if (state !~ /recovery/) print timeline, changed, node }'
    done | sort -n -k1,1 -k2,2 | tail -n 1 | cut -d' ' -f3
}

# deploy/lab restore --to: makes the first node that of a moment. The others copy it when they start.
restore_lab() {
    local present node first=${nodes[0]}
    archive_of_lab "$first"
    check_archive_begin "$1"
    confirm "This replaces the databases of $data."
    present=$(last_leader)
    make_folder_for_postgres "$home/restored"
    recover_postgres "$archive_config" "${present:+$home/$present/data}" "$home/restored" "$(moment_text "$1")" \
        "$(archive_command "$archive_config")" -p "$postgres_port" -c "unix_socket_directories=$sockets" ||
        fail "Postgres could not be restored; nothing was replaced"
    # etcd remembers the later state of the cluster.
    rm -rf "$home/etcd"
    for node in "${nodes[@]}"; do rm -rf "${home:?}/$node/data"; done
    mv "$home/restored" "$home/$first/data"
    say "Restored the cluster as it was at $(moment_text "$1"). Start with: deploy/lab postgres --data $data"
}
