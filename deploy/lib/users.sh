# The user of the services. If root starts an instance, the services, Redis and nginx's workers run as the user `maru`, which
# owns the stored files and can read each service's secrets. Otherwise everything runs as the user of `up`.

service_user=maru
as_service=()
owner_of_gateway=root

# Chooses the user of the services and creates it if necessary.
choose_service_user() {
    ((EUID == 0)) || return 0
    getent passwd "$service_user" >/dev/null ||
        useradd --system --user-group --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin "$service_user"
    as_service=(setpriv "--reuid=$service_user" "--regid=$service_user" --init-groups)
    local path
    for path in "$data/run" "$checkout/deploy/clients.json" "${services[@]/#/$programs/}"; do
        "${as_service[@]}" test -e "$path" && continue
        say "The user $service_user cannot reach $path, so the services run as root. To avoid that, choose folders that others may enter." >&2
        as_service=()
        return 0
    done
    owner_of_gateway=$service_user
}

# Gives a service's files to the user of the services. The folders above them may be entered but not listed.
# give_to_services PATH...
give_to_services() {
    ((${#as_service[@]})) || return 0
    chown -R "$service_user:" "$@"
}
