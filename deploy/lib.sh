# Functions for the commands of this folder. Source it in bash scripts with set -euo pipefail.

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# In the order of their ports, from 8101 and 9101. The first word of a name is the role in Postgres.
services=(auth-service workspace-service chat-service realtime-gateway payment-service)

say() { printf '%s\n' "$*"; }
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Prints the comment at the top of the script, which is its help.
print_help() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }

role_of() { printf '%s' "${1%%-*}"; }

for part in "$checkout"/deploy/lib/*.sh; do
    source "$part"
done
