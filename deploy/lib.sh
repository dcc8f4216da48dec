# What the commands of this folder share. Sourced by bash scripts that have set -euo pipefail.

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# In the order of their ports: 8101 and 9101 upwards. The role in Postgres is the first word of the name.
services=(auth-service workspace-service chat-service realtime-gateway payment-service)

say() { printf '%s\n' "$*"; }
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# The comment at the top of the script is its help.
print_help() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }

role_of() { printf '%s' "${1%%-*}"; }

for part in "$checkout"/deploy/lib/*.sh; do
    source "$part"
done
