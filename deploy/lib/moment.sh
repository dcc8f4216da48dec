# The ways of deploy/backup --archive and deploy/restore --to, for an instance of deploy/up and for the composition.

# Begins or continues the archive of a running instance. The variables are those of deploy/backup.
archive_instance() {
    require_running_instance
    locate_cluster >/dev/null
    locate_archive
    archive_of_instance
    if [[ -z $target ]]; then
        if [[ $with_database == yes ]]; then target=$(own_archive); else target=$(own_files_archive); fi
        target=${target:-${cluster%/postgres}/archive}
    fi
    if [[ ! -e $target ]]; then
        mkdir -p "$target"
        # The user of Postgres passes through it to its own part.
        chmod 711 "$target"
    fi
    target=$(cd "$target" && pwd -P)
    keep_removed_files
    if [[ $with_database == yes ]]; then
        archive_postgres_of_instance
    else
        printf '%s\n' "$target" >"$archive_state/files-archive"
        # The oldest full backup is up to a week older than the days that are asked for.
        archive_began=$(($(date +%s) - (days + 8) * 86400))
    fi
    drop_retired_files "$archive_began"
    copy_files_to_archive "$target"
    if [[ $with_secrets == yes ]]; then save_instance_secrets "$target"; fi
    save_instance_settings "$target"
    say "$target: $(du -sh "$target" | cut -f1)"
    if has_bucket; then
        say "The files are in a bucket of S3: they come back only if the bucket keeps its versions." >&2
    fi
}

archive_postgres_of_instance() {
    [[ -s $cluster/PG_VERSION && ! -s $data/run/postgres_service ]] ||
        fail "$data uses another Postgres, which has an archive of its own; pass --without-database"
    install_packages "${archive_packages[@]}"
    postgres_port=$(remembered_port postgres_port)
    [[ -e $target/postgres ]] || make_folder_for_postgres "$target/postgres"
    "${as_postgres[@]}" test -w "$target/postgres" || fail "the user of Postgres cannot reach $target; choose another folder"
    pgbackrest_settings "$target/postgres" "$archive_state" | write_for_postgres "$archive_config"
    make_archive "$days"
}

# The same for the composition. Its archive is the volume of docker-compose.archive.yml.
archive_composition() {
    [[ -z $target ]] || fail "the archive of the composition is its volume; see docker-compose.archive.yml"
    [[ -n $(compose ps --quiet postgres) ]] || fail "the composition's postgres does not run; start it with docker compose up"
    compose exec -T postgres pgbackrest version >/dev/null ||
        fail "the composition's postgres has no pgBackRest: add docker-compose.archive.yml to COMPOSE_FILE"
    archive_of_composition
    keep_removed_files
    make_archive "$days"
    drop_retired_files "$archive_began"
}

# Whether a service of the instance stores its files in a bucket of S3.
has_bucket() { grep -qsE '^[ \t]*s3_bucket[ \t]*=[ \t]*[^ \t]' "$data"/config/*.conf; }

# Fails unless the archive reaches back to a moment, in seconds since 1970.
check_archive_begin() {
    local begin
    begin=$(archive_begin) || fail "the archive cannot be read"
    [[ -n $begin ]] || fail "the archive has no backup; deploy/backup --archive makes one"
    is_before "$begin" "$1" || fail "the archive begins at $(date -u -d "@$begin" '+%F %T+00'), after $(moment_text "$1")"
}

# restore_moment_instance SECONDS: the variables are those of deploy/restore.
restore_moment_instance() {
    local is_own=no role own
    require_stopped_instance
    choose_ports postgres_port 1 0 ''
    locate_cluster
    locate_archive
    archive_of_instance
    if [[ $with_database == yes ]]; then
        if [[ -z $backup ]]; then backup=$(own_archive); fi
        [[ -n $backup ]] || fail "$data has no archive; deploy/backup --archive begins one"
        require_own_postgres
        [[ -d $backup/postgres ]] || fail "$backup is not an archive of deploy/backup --archive"
        backup=$(cd "$backup" && pwd -P)
        if [[ $backup == "$(own_archive)" ]]; then is_own=yes; fi
        archive_config=$archive_state/restoring.conf
        pgbackrest_settings "$backup/postgres" "$archive_state" | write_for_postgres "$archive_config"
        check_archive_begin "$1"
    else
        own=$(own_files_archive)
        own=${own:-${cluster%/postgres}/archive}
        # The files of the instance are newer than the copies in its archive.
        if [[ -z $backup || $(realpath -m "$backup") == "$(realpath -m "$own")" ]]; then is_own=yes; fi
    fi
    [[ $is_own == yes || -d $backup/files ]] || fail "$backup has no stored files; deploy/backup --archive copies them"
    if [[ -e $cluster || -e $data/files/chat ]]; then confirm "This replaces the data of $data."; fi
    # If a step fails, remove the copies: they could fill the disk of the present instance.
    trap 'rm -rf "$cluster.restored" "$data/files.new" "$archive_state/restoring.conf"' EXIT
    if [[ $with_database == yes ]]; then recover_instance "$1" "$is_own"; fi
    if [[ $is_own == no ]]; then
        # The present files stay if there is no room for both.
        rm -rf "$data/files.new"
        cp --archive "$backup/files" "$data/files.new" || fail "the files of $backup could not be copied; nothing was replaced"
        rm -rf "$data/files"
        mv "$data/files.new" "$data/files"
        if [[ $with_secrets == yes && -e $backup/secrets.tar ]]; then bring_back_secrets "$backup"; fi
        bring_back_settings "$backup"
    fi
    for role in "${roles_with_files[@]}"; do mkdir -p "$data/files/$role"; done
    bring_files_back "$1"
    if [[ $with_database == yes ]]; then
        # create_cluster undoes the first of these steps if the second one does not happen.
        rm -rf "$cluster.before"
        if [[ -e $cluster ]]; then mv "$cluster" "$cluster.before"; fi
        mv "$cluster.restored" "$cluster"
        # The archive of the Postgres that was here does not fit the restored one.
        if [[ $is_own == no ]]; then rm -f "$archive_state/pgbackrest.conf"; fi
        rm -rf "$cluster.before"
    fi
    rm -rf "$data/redis"
    say "Restored $data as it was at $(moment_text "$1"). Start with: deploy/up --data $data"
    if has_bucket; then say "The files are in a bucket of S3: bring back its versions of that moment." >&2; fi
}

# Makes the cluster of a moment beside the present one. recover_instance SECONDS IS_OWN
recover_instance() {
    local present=$cluster command
    command=$(archive_command "$archive_state/pgbackrest.conf")
    # The restored Postgres must not write to the archive of another one, nor read the WAL of another one.
    if [[ $2 == no ]]; then present='' command=/bin/true; fi
    say "Restoring Postgres of $(moment_text "$1")"
    make_folder_for_postgres "$cluster.restored"
    recover_postgres "$archive_config" "$present" "$cluster.restored" "$(moment_text "$1")" "$command"         -p "$postgres_port" -c "unix_socket_directories=$sockets" || fail "Postgres could not be restored; nothing was replaced"
    if [[ $2 == no ]]; then sed -i '/^archive_/d' "$cluster.restored/postgresql.auto.conf"; fi
}

restore_moment_composition() {
    local folder=/var/lib/postgresql/data
    [[ -z $backup ]] || fail "the archive of the composition is its volume; see docker-compose.archive.yml"
    confirm "This stops the composition and replaces its database and files."
    archive_of_composition
    check_archive_begin "$1"
    compose stop gateway "${services[@]}" redis postgres
    say "Restoring Postgres of $(moment_text "$1")"
    recover_postgres "$archive_config" "$folder" "$folder/restored" "$(moment_text "$1")" "$(archive_command "$archive_config")" \
        -c config_file=/etc/maru/postgresql.conf -c unix_socket_directories=/tmp || {
        # It could fill the disk of the present Postgres.
        compose run --rm -T --no-deps --entrypoint rm postgres -rf "$folder/restored" </dev/null || true
        fail "Postgres could not be restored; nothing was replaced"
    }
    bring_files_back "$1"
    # The folder is a volume, which cannot be renamed. Without the file PG_VERSION, Postgres does not start half of it.
    compose run --rm -T --no-deps --entrypoint bash postgres -euc '
        cd "$1"
        mv PG_VERSION restored/PG_VERSION.before
        find . -mindepth 1 -maxdepth 1 ! -name restored -exec rm -rf {} +
        rm restored/PG_VERSION.before
        find restored -mindepth 1 -maxdepth 1 ! -name PG_VERSION -exec mv -t . {} +
        mv restored/PG_VERSION .
        rmdir restored' bash "$folder"
    compose run --rm -T --no-deps --entrypoint find redis /data -mindepth 1 -delete
    say "Restored. Start with: docker compose up --detach"
}
