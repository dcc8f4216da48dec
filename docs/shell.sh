# Functions for the commands on the pages of this folder. They use an instance of deploy/up. Source this file from the
# checkout: . docs/shell.sh [data folder]
#
#   join NAME [API KEY]          creates an account and signs it in; the default key is `native`
#   as NAME PATH [curl options]  calls the API
#   make_home NAME [GUEST…]      creates a workspace with these members; sets workspace, and channel to its default channel
#   open_socket NAME NAMESPACE   opens a socket by long-polling with NAME's cookie and joins a room; sets sid
#   poll                         prints the packets that arrived on that socket
#   poll_until TEXT              polls until a packet has this text, ten times at most, and prints the packets
#   metrics SERVICE [NAME]       prints the metrics of a service, or those that begin with NAME
#   internal SERVICE PATH […]    calls the internal API of a service
#   sql SERVICE STATEMENT        runs a statement in the service's schema
#   redis COMMAND…               runs a Redis command
#   standins PATH […]            calls the stand-ins of `deploy/up --standins`

data=${1:-${INSTANCE:-.data}}
programs=${MARU_PROGRAMS:-.build/release}
port() { sed -n "s/^$1=//p" "$data/ports"; }
api=http://127.0.0.1:$(port gateway_port)/v1
sockets="http://127.0.0.1:$(port gateway_port)/socket.io/?EIO=4&transport=polling"
declare -A token=() refresh=() cookie=() key=() id=() email=()

join() {
    key[$1]=${2:-native} email[$1]=$1.$(date +%s%N)@example.com
    remember "$1" "$(curl -s -D - "$api/users/join" -H "SesacKey: ${key[$1]}" -H 'Content-Type: application/json' \
        -d "{\"email\":\"${email[$1]}\",\"password\":\"Saessak-2024!\",\"nickname\":\"$1\",\"deviceToken\":\"device-of-$1\"}")"
}

# Stores the tokens and the cookie of a reply to a join or login. The second argument is the reply with its headers.
remember() {
    local body=${2##*$'\n'}
    id[$1]=$(jq -r .user_id <<<"$body")
    token[$1]=$(jq -r .token.accessToken <<<"$body")
    refresh[$1]=$(jq -r .token.refreshToken <<<"$body")
    cookie[$1]=$(sed -n 's/^[Ss]et-[Cc]ookie: \(maru_socket=[^;]*\).*/\1/p' <<<"$2")
}

as() {
    local name=$1 path=$2
    shift 2
    curl -s "$api$path" -H "SesacKey: ${key[$name]}" -H "Authorization: ${token[$name]}" "$@"
}

make_home() {
    local guest
    workspace=$(as "$1" /workspaces -F "name=home $(date +%s%N)" -F 'image=@-;filename=image.png' < <(
        base64 -d <<<iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=
    ) | jq -r .workspace_id)
    for guest in "${@:2}"; do as "$1" "/workspaces/$workspace/members" --json "{\"email\":\"${email[$guest]}\"}" >/dev/null; done
    channel=$(as "$1" "/workspaces/$workspace" | jq -r '.channels[0].channel_id')
}

open_socket() {
    sid=$(curl -s "$sockets" -H "Cookie: ${cookie[$1]}" | cut -c2- | jq -r .sid)
    curl -s -o /dev/null "$sockets&sid=$sid" -d "40$2,"
}

poll() {
    curl -s "$sockets&sid=$sid" | tr '\036' '\n'
    echo
}

poll_until() {
    local polls packets=''
    for ((polls = 0; polls < 10; polls++)); do
        packets=$(poll)
        printf '%s\n' "$packets"
        if [[ $packets == *"$1"* ]]; then return; fi
    done
}

# The index of a service in the order of the ports.
index_of() {
    local services=(auth workspace chat realtime payment) index
    for index in "${!services[@]}"; do
        if [[ $1 == "${services[index]}"* ]]; then printf '%s\n' "$index"; fi
    done
}

metrics() {
    curl -s "http://127.0.0.1:$(($(port internals_port) + $(index_of "$1")))/metrics" | grep "^${2:-.}"
}

internal() {
    local service=$1 path=$2
    shift 2
    curl -s "http://127.0.0.1:$(($(port internals_port) + $(index_of "$service")))/internal$path" \
        -H "Authorization: Bearer $(<"$data/secrets/${service%%-*}/service_credential")" "$@"
}

sql() { psql --no-psqlrc --tuples-only --no-align -c "$2" "$(<"$data/secrets/${1%%-*}/database_url")"; }

redis() {
    REDISCLI_AUTH=$(<"$data/secrets/redis/password") redis-cli -p "$(port redis_port)" "$@"
}

standins() {
    local path=$1
    shift
    curl -s "http://127.0.0.1:$(port standins_port)$path" "$@"
}
