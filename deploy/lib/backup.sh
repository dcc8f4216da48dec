# The format of a backup, and the checks that deploy/backup and deploy/restore share.
#
#   manifest.json   the format, when it was made, each table's number of rows and checksum, each part's SHA-256
#   database.dump   pg_dump's custom format
#   files.tar       the file store: uploads, profile images, covers
#   secrets.tar     passwords and credentials, if they were asked for
#   settings.tar    the operator's settings of an instance of deploy/up

backup_format=1

# Prints a line `schema.table|rows|checksum` for each table. The checksum is a sum of hashes over whole rows, so it does not
# depend on the order of rows. It is meant for psql --no-align --tuples-only.
table_checksums_sql() {
    cat <<'SQL'
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET IntervalStyle = 'postgres';
SET extra_float_digits = 1;
SET bytea_output = 'hex';
SET search_path = pg_catalog;
SELECT format(
    'SELECT %L, count(*), coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) FROM %I.%I t',
    schemaname || '.' || tablename, schemaname, tablename)
FROM pg_tables
WHERE schemaname IN ('auth', 'workspace', 'chat', 'realtime', 'payment', 'audit')
ORDER BY schemaname, tablename
\gexec
SQL
}

sha256_of() { sha256sum "$1" | cut -d' ' -f1; }

# write_manifest FOLDER: lines of table_checksums_sql on standard input.
write_manifest() {
    local folder=$1 part parts='{}'
    for part in "$folder"/*.dump "$folder"/*.tar; do
        [[ -e $part ]] || continue
        parts=$(jq --arg name "${part##*/}" --arg sum "$(sha256_of "$part")" '.[$name] = $sum' <<<"$parts")
    done
    jq --raw-input --null-input --argjson format "$backup_format" --argjson parts "$parts" \
        --arg created "$(date -u +%FT%TZ)" '
        [inputs | select(length > 0) | split("|") | {key: .[0], value: {rows: (.[1] | tonumber), checksum: .[2]}}]
        | {format: $format, created: $created, parts: $parts, tables: from_entries}
        ' >"$folder/manifest.json"
}

# Fails unless FOLDER is a complete backup of a known format with unchanged parts.
check_backup() {
    local folder=$1 name sum
    [[ -s $folder/manifest.json ]] || fail "$folder has no manifest.json: it is not a complete backup"
    [[ $(jq .format "$folder/manifest.json") == "$backup_format" ]] ||
        fail "$folder has format $(jq .format "$folder/manifest.json"); this version reads format $backup_format"
    while read -r name sum; do
        [[ -e $folder/$name ]] || fail "$folder lacks $name"
        [[ $(sha256_of "$folder/$name") == "$sum" ]] || fail "$folder/$name is damaged: its SHA-256 differs from the manifest's"
    done < <(jq -r '.parts | to_entries[] | "\(.key) \(.value)"' "$folder/manifest.json")
    [[ -e $folder/database.dump && -e $folder/files.tar ]] || fail "$folder lacks database.dump or files.tar"
}

# compare_tables FOLDER: compares lines of table_checksums_sql on standard input with the manifest; prints differences.
compare_tables() {
    diff <(jq -r '.tables | to_entries[] | "\(.key)|\(.value.rows)|\(.value.checksum)"' "$1/manifest.json" | sort) \
        <(grep . | sort) >&2
}

table_count() { jq '.tables | length' "$1/manifest.json"; }
row_count() { jq '[.tables[].rows] | add' "$1/manifest.json"; }

require_running_instance() {
    [[ $(cat "$data/run/state" 2>/dev/null) == ready ]] || fail "no Maru runs with $data; start it with deploy/up"
    data=$(cd "$data" && pwd -P)
}

# Takes the lock of a stopped instance, and makes its folders.
require_stopped_instance() {
    mkdir -p "$data"
    data=$(cd "$data" && pwd -P)
    chmod 711 "$data"
    mkdir -p "$data"/{run,logs,config,settings,secrets,files}
    exec {instance_lock}>"$data/run/lock"
    flock -n "$instance_lock" || fail "Maru runs with $data; stop it with deploy/down first"
    stop_leftovers
}

# Fails if the instance uses a Postgres of another machine: one that is restored here would take the files of that one.
require_own_postgres() {
    [[ ! -s $data/run/postgres_service ]] ||
        fail "$data uses the Postgres of $(<"$data/run/postgres_service"), which is restored by itself; remove $data/run/postgres_service to restore into one of its own"
}

# Each takes the folder of a backup or of an archive.
save_instance_secrets() { (cd "$data/secrets" && tar --create --file="$1/secrets.tar" -- *); }
save_instance_settings() { tar --create --file="$1/settings.tar" --directory="$data/settings" .; }
bring_back_secrets() { tar --extract --file="$1/secrets.tar" --directory="$data/secrets" --no-same-owner; }
bring_back_settings() {
    if [[ -e $1/settings.tar ]]; then tar --extract --file="$1/settings.tar" --directory="$data/settings" --no-same-owner; fi
}

# Asks before data is replaced, unless that is confirmed. confirm TEXT
confirm() {
    local answer=''
    [[ $confirmed == no ]] || return 0
    [[ -t 0 ]] || fail "$1 Pass --yes to do so."
    read -r -p "$1 Type yes to continue: " answer
    [[ $answer == yes ]] || fail "nothing was changed"
}

# Compose v2 is a plugin of docker, version 1 a program of its own.
compose() {
    if docker compose version >/dev/null 2>&1; then
        (cd "$checkout" && docker compose "$@")
    elif command -v docker-compose >/dev/null; then
        (cd "$checkout" && docker-compose "$@")
    else
        fail "--compose needs docker compose or docker-compose"
    fi
}
