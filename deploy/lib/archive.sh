# The continuous archive: each change of Postgres by pgBackRest, and the stored files that were deleted meanwhile.
#
#   FOLDER/postgres       pgBackRest's repository: full and incremental backups, and all WAL since the first one
#   FOLDER/files          copies of the stored files, as of the last call of deploy/backup --archive
#   FOLDER/secrets.tar    passwords and credentials, if they were asked for
#   FOLDER/settings.tar   the operator's settings of an instance of deploy/up
#
# A service moves a file that it removes to `.retired` of its files_folder, under the name MILLISECONDS+FOLDER+NAME, if that
# folder exists.

roles_with_files=(auth workspace chat)

# Prints the seconds since 1970 of a moment such as `2026-11-26 12:34:56+00`. Fails with a reason if it is none.
seconds_of_moment() {
    local local_time='^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?' zone=' ?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$' seconds
    [[ ! $1 =~ ${local_time}$ ]] || fail "--to $1 has no time zone; write '$1+00' for UTC"
    [[ $1 =~ ${local_time}${zone} ]] || fail "--to $1 is not a moment; write it as '2026-11-26 12:34:56+00'"
    seconds=$(date -u -d "$1" +%s.%6N 2>/dev/null) || fail "--to $1: there is no such day or time"
    printf '%s\n' "$seconds"
}

# Prints a moment, in seconds since 1970, as Postgres and pgBackRest read it.
moment_text() { date -u -d "@$1" '+%F %T.%6N+00'; }

is_before() { awk -v left="$1" -v right="$2" 'BEGIN { exit !(left + 0 < right + 0) }'; }

# Prints the settings of pgBackRest for the cluster of an instance. pgbackrest_settings REPOSITORY STATE
pgbackrest_settings() {
    cat <<SETTINGS
[global]
repo1-path=$1
repo1-bundle=y
lock-path=$2/lock
log-level-file=off
log-level-console=warn
compress-type=lz4
start-fast=y
[maru]
pg1-path=$cluster
pg1-socket-path=$sockets
pg1-port=$postgres_port
SETTINGS
}

# Writes a file that the user of Postgres can read: the settings of standard input.
write_for_postgres() {
    install -m 600 /dev/stdin "$1"
    if ((EUID == 0)); then chown postgres: "$1"; fi
}

# Makes an empty folder that belongs to the user of Postgres.
make_folder_for_postgres() {
    rm -rf "$1"
    mkdir -p "$1"
    if ((EUID == 0)); then chown postgres: "$1"; fi
}

# Sets archive_state to the folder of pgBackRest's settings and locks, beside the cluster.
locate_archive() {
    archive_state=${cluster%/postgres}/archiving
    mkdir -p "$archive_state/lock"
    if ((EUID == 0)); then chown postgres: "$archive_state" "$archive_state/lock"; fi
}

# Prints the folder of the instance's archive, if it has one.
own_archive() { sed -n 's|^repo1-path=\(.*\)/postgres$|\1|p' "$archive_state/pgbackrest.conf" 2>/dev/null || true; }

# Prints the folder of the instance's archive of the stored files alone, if it has one. Without one it continues with that of the
# Postgres that the instance had before.
own_files_archive() { cat "$archive_state/files-archive" 2>/dev/null || own_archive; }

# Prints the command by which Postgres archives a segment of WAL. Postgres runs it in its data folder.
archive_command() { printf 'pgbackrest --config=%q --stanza=maru --pg1-path="$PWD" archive-push "%%p"' "$1"; }

# Defines the functions below for an instance of deploy/up, after locate_cluster.
archive_of_instance() {
    archive_config=$archive_state/pgbackrest.conf
    pgbackrest_run() { (cd / && "${as_postgres[@]}" pgbackrest --config="$archive_config" --stanza=maru "$@"); }
    archive_sql() { superuser_psql --no-align --tuples-only --set=ON_ERROR_STOP=1 --dbname=postgres "$@"; }
    recover_postgres() { (cd / && "${as_postgres[@]}" bash -s -- "$@" <"$checkout/deploy/postgres/recover"); }
    # in_files ROLE SCRIPT ARGUMENTS...: runs a script of sh in the folder of a service's files, as the owner of the folder.
    in_files() {
        local folder=$data/files/$1 as_owner=()
        if ((EUID == 0)); then
            as_owner=(setpriv "--reuid=$(stat -c %u "$folder")" "--regid=$(stat -c %g "$folder")" --clear-groups)
        fi
        (cd "$folder" && "${as_owner[@]}" sh -c "$2" sh "${@:3}")
    }
}

# The same for the composition. docker-compose.archive.yml gives its postgres pgBackRest and a volume.
archive_of_composition() {
    archive_config=/etc/pgbackrest/pgbackrest.conf
    pgbackrest_run() { compose run --rm -T --no-deps --entrypoint pgbackrest postgres --stanza=maru "$@"; }
    archive_sql() {
        compose exec -T postgres psql --no-psqlrc --quiet --username=postgres --no-align --tuples-only \
            --set=ON_ERROR_STOP=1 --dbname=postgres "$@"
    }
    recover_postgres() {
        compose run --rm -T --no-deps --entrypoint bash postgres -s -- "$@" <"$checkout/deploy/postgres/recover"
    }
    in_files() {
        compose run --rm -T --no-deps --workdir /files --entrypoint sh "$1-service" -c "$2" sh "${@:3}"
    }
}

# Makes each service keep the files that it removes from now on.
keep_removed_files() {
    local role
    for role in "${roles_with_files[@]}"; do
        in_files "$role" 'mkdir -p .retired'
    done
}

# Deletes files that were removed before a moment, in seconds since 1970.
drop_retired_files() {
    local role
    for role in "${roles_with_files[@]}"; do
        in_files "$role" 'for file in .retired/*+*+*; do
            name=${file#.retired/}
            if [ -e "$file" ] && [ "${name%%+*}" -lt "$1" ]; then rm "$file"; fi
        done' "$1"000
    done
}

# Gives each service the files of a moment, in seconds since 1970 with their fraction: files that were removed after it come back, and files that
# were stored after it are retired.
bring_files_back() {
    local role fraction=${1#*.}
    local milliseconds=${1%.*}${fraction:0:3}
    for role in "${roles_with_files[@]}"; do
        in_files "$role" '
            set -e
            mkdir -p .retired
            for file in .retired/*+*+*; do
                [ -e "$file" ] || continue
                name=${file#.retired/}
                removed_at=${name%%+*}
                name=${name#*+}
                target=${name%%+*}/${name#*+}
                if [ "$removed_at" -lt "$1" ]; then
                    rm -f "$target"
                elif [ -e "$target" ]; then
                    rm "$file"
                else
                    mkdir -p "${target%/*}"
                    mv "$file" "$target"
                fi
            done
            find . -mindepth 2 -maxdepth 2 -type f -not -path "./.*" -newermt "@$2" -printf "%P\n" |
                while read -r name; do mv "$name" ".retired/$3+${name%%/*}+${name#*/}"; done
            ' "$milliseconds" "$1" "$(date +%s)000"
    done
}

# A script of sh that replaces the files of a service in the folder $1 by those of a backup in the folder $2, which it removes. $3
# are the milliseconds since 1970. If there is an archive, files that the backup lacks are retired.
replace_stored_files='
    set -e
    cd "$1"
    if [ -d .retired ]; then
        find . -mindepth 2 -maxdepth 2 -type f -not -path "./.*" -printf "%P\n" |
            while read -r name; do mv "$name" ".retired/$3+${name%%/*}+${name#*/}"; done
    fi
    find . -mindepth 1 -maxdepth 1 -not -name .retired -not -name .restored -exec rm -rf {} +
    # A backup of an earlier version can hold .restored of a restore that was interrupted.
    find "$2" -mindepth 1 -maxdepth 1 -not -name .restored -exec mv -t . {} +
    rm -rf "$2"
    # bring_files_back would remove a file that was retired and is here again.
    for file in .retired/*+*+*; do
        name=${file#.retired/}
        name=${name#*+}
        if [ -e "$file" ] && [ -e "${name%%+*}/${name#*+}" ]; then rm "$file"; fi
    done
'

# Makes the archive's copies of the stored files those of the present. Files never change, so a name is copied once; where the
# file system allows, it is linked.
copy_files_to_archive() {
    local target=$1/files name
    mkdir -p "$target"
    comm -13 <(stored_names "$data/files") <(stored_names "$target") | while read -r name; do rm "$target/$name"; done
    comm -23 <(stored_names "$data/files") <(stored_names "$target") | while read -r name; do
        mkdir -p "$target/${name%/*}"
        cp --archive --link "$data/files/$name" "$target/$name" 2>/dev/null && continue
        cp --archive "$data/files/$name" "$target/$name.part" 2>/dev/null && mv "$target/$name.part" "$target/$name" && continue
        # It was removed meanwhile, and is copied from the retired files next time.
        [[ ! -e $data/files/$name ]] || fail "$name could not be copied to $target"
    done
}

# Prints the names of files such as chat/channelChats/0a1b.jpg, and of retired ones; none of uploads and cached copies.
stored_names() { (cd "$1" && find . -mindepth 3 -maxdepth 3 -type f -not -path './*/.uploads/*' -not -path './*/.copies-*' -printf '%P\n' | sort); }

# Prints the moment, in seconds since 1970, from which on the archive can bring Postgres back; nothing if it has no backup.
archive_begin() { pgbackrest_run info --output=json | jq '[.[0].backup[]?.timestamp.stop] | min // empty'; }

# Prints the kind of the next backup: a full one at first and after a week.
next_backup() {
    pgbackrest_run info --output=json | jq -r --argjson days "$1" '
        [.[0].backup[]? | select(.type == "full") | .timestamp.stop] | max // 0
        | if now - . > ([$days, 7] | min) * 86400 then "full" else "incr" end'
}

# Archives the histories of timelines that began while nothing was archived. They name the way from an older backup.
push_histories() {
    local folder name
    folder=$(archive_sql --command='SHOW data_directory')
    while read -r name; do
        pgbackrest_run --log-level-console=error archive-push "$folder/pg_wal/$name" || fail "$name could not be archived"
    done < <(archive_sql --command="SELECT name FROM pg_ls_waldir() WHERE name LIKE '%.history'")
}

# Sets the commands by which the running Postgres archives its WAL.
set_archive_command() {
    archive_sql --set=command="$(archive_command "$archive_config")" <<'SQL' >/dev/null
ALTER SYSTEM SET archive_command = :'command';
ALTER SYSTEM SET archive_timeout = '60s';
SELECT pg_reload_conf();
SQL
}

# Brings the archive of Postgres up to date, and sets archive_began to the seconds since 1970 at which it begins.
# make_archive DAYS
make_archive() {
    local kind
    [[ $(archive_sql --command='SHOW archive_mode') == on ]] ||
        fail "Postgres was started by an earlier version, without archive_mode; restart everything once"
    pgbackrest_run --no-online stanza-create || fail "pgBackRest could not make its repository"
    set_archive_command
    pgbackrest_run check || fail "the WAL of Postgres does not reach the archive; the log of Postgres says why"
    push_histories
    kind=$(next_backup "$1")
    pgbackrest_run backup --type="$kind" --repo1-retention-full-type=time --repo1-retention-full="$1" ||
        fail "the backup of Postgres failed"
    archive_began=$(archive_begin)
    [[ -n $archive_began ]] || fail "the archive has no backup"
    say "The archive has a new $kind backup, and each moment since $(date -u -d "@$archive_began" '+%F %T+00')."
}
