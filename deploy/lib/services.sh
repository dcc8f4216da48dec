# The configuration of the five services, the stand-ins and the gateway of one instance.

# Sets public_port and internal_port of each service.
declare -A public_port=() internal_port=()
number_services() {
    local index
    for index in "${!services[@]}"; do
        public_port[${services[index]}]=$((services_port + index))
        internal_port[${services[index]}]=$((internals_port + index))
    done
}

# Prints the settings that any service may have, as lines `key = value`.
common_settings() {
    local name=$1 role
    role=$(role_of "$name")
    cat <<SETTINGS
public_address = 127.0.0.1:${public_port[$name]}
internal_address = 127.0.0.1:${internal_port[$name]}
instance_address = 127.0.0.1:$(instance_port "$name")
shared_ports = $shares_ports
clients_file = $checkout/deploy/clients.json
service_credential_file = $data/secrets/$role/service_credential
operator_credential_file = $data/secrets/$role/operator_credential
operators_file = $data/secrets/operators/operators
database_url_file = $data/secrets/$role/database_url
redis_url_file = $data/secrets/$role/redis_url
auth_url = http://127.0.0.1:${internal_port[auth-service]}
workspace_url = http://127.0.0.1:${internal_port[workspace-service]}
chat_url = http://127.0.0.1:${internal_port[chat-service]}
realtime_url = http://127.0.0.1:${internal_port[realtime-gateway]}
payment_url = http://127.0.0.1:${internal_port[payment-service]}
files_folder = $data/files/$role
trusted_proxies = 127.0.0.1
gateway_credential_file = $data/secrets/$role/gateway_credential
SETTINGS
    if [[ -n ${MARU_ALLOWED_ORIGINS:-} ]]; then printf 'allowed_origins = %s\n' "$MARU_ALLOWED_ORIGINS"; fi
}

# Prints the settings that point a service to the stand-ins.
standins_settings() {
    local base=http://127.0.0.1:$standins_port
    printf '%s\n' "trace_collector = $base/collector"
    case $1 in
        auth-service)
            printf '%s\n' "kakao_url = $base/kakao" "kakao_app_id = 1000" "apple_url = $base/apple" \
                "apple_client_ids = com.example.maru" "smtp_url = smtp://127.0.0.1:$((standins_port + 1))" \
                "smtp_tls = false" "oidc_issuers_file = $data/secrets/auth/issuers.json"
            ;;
        chat-service)
            # The stand-ins are receivers of webhooks too.
            printf '%s\n' "webhook_exceptions = 127.0.0.1"
            ;;
        realtime-gateway)
            printf '%s\n' "fcm_url = $base/fcm" "fcm_token_url = $base/fcm/token" \
                "fcm_service_account = $data/secrets/standins/service-account.json"
            ;;
        payment-service)
            printf '%s\n' "portone_v1_url = $base/portone/v1" "portone_v1_key = standins" \
                "portone_v1_secret = standins" "portone_v2_url = $base/portone/v2" "portone_v2_secret = standins" \
                "portone_v2_webhook_secret = whsec_c3RhbmRpbnMtc2lnbi13ZWJob29rcy13aXRoLXRoaXM="
            ;;
    esac
}

# Writes the issuers of OpenID Connect that the stand-ins are.
write_issuers() {
    local address=http://127.0.0.1:$standins_port/oidc/company
    {
        printf '[{"name":"company","title":"Company","issuer":"%s","client_id":"maru","client_secret":"standins",' "$address" &&
            printf '"redirects":["http://127.0.0.1:%s/","com.example.chat:/signed-in"]}]\n' "$gateway_port"
    } >"$1.new" && mv "$1.new" "$1"
}

# Prints the settings of an instance without stand-ins: mails become files among the logs. Settings of the operator win, and
# with an `smtp_url` of theirs mails are sent.
development_settings() {
    if [[ $1 == auth-service ]]; then printf '%s\n' "mail_folder = $data/logs/mail"; fi
}

# Writes the configuration of a service. A service refuses unknown settings, so it gets only those common settings that it
# knows. The operator's settings come last, unchecked, and win.
write_configuration() {
    local name=$1 known
    known=$("$programs/$name" --print-config) || {
        say "$name --print-config failed" >&2
        return 1
    }
    {
        printf '%s\n' "$known" | sed -nE 's/^(# )?([a-z0-9_]+) =.*/?\2/p'
        common_settings "$name"
        if [[ -n ${standins_port:-} ]]; then standins_settings "$name"; else development_settings "$name"; fi
        printf '%s\n' '!'
        if [[ -e $data/settings/$name.conf ]]; then cat "$data/settings/$name.conf"; fi
    } | awk '
        /^[ \t]*(#|$)/ { next }
        /^\?/ { known[substr($0, 2)] = 1; next }
        $0 == "!" { of_the_operator = 1; next }
        {
            key = $0
            sub(/[ \t]*=.*/, "", key)
            sub(/^[ \t]+/, "", key)
            base = key
            if (!(base in known)) sub(/_file$/, "", base)
            if (!of_the_operator && !(base in known)) next
            if (of_the_operator) { delete value[base]; delete value[base "_file"] }
            if (!(key in listed)) { listed[key] = 1; order[++count] = key }
            value[key] = $0
        }
        END { for (i = 1; i <= count; i++) if (order[i] in value) print value[order[i]] }
    ' >"$data/config/$name.conf.new" && mv "$data/config/$name.conf.new" "$data/config/$name.conf"
}

# The whole environment of a service, so that no other variable can configure it.
clean_environment=(env -i "PATH=$PATH" "HOME=${HOME:-/}" "LANG=C.UTF-8" "TZ=UTC")

# start_service NAME [again]
start_service() {
    local name=$1 again=${2:-}
    local role run_as=(${as_service[@]+"${as_service[@]}"})
    role=$(role_of "$name")
    mkdir -p "$data/files/$role"
    if [[ $name == auth-service ]]; then
        mkdir -p "$data/logs/mail"
        chmod 711 "$data/logs"
        give_to_services "$data/logs/mail"
    fi
    if [[ $name == auth-service && -n ${standins_port:-} ]]; then
        write_issuers "$data/secrets/$role/issuers.json" || keeps "$data/secrets/$role/issuers.json" "$again"
    fi
    write_configuration "$name" || keeps "$data/config/$name.conf" "$again"
    give_to_services "$data/files/$role" "$data/secrets/$role" "$data/config/$name.conf"
    start "$name" TERM "${clean_environment[@]}" "$programs/$name" --config "$data/config/$name.conf"
}

# Writes the settings of maructl. Only the owner of the instance can read the credential that they name.
write_maructl_configuration() {
    cat >"$data/config/maructl.conf" <<SETTINGS
operator_credential_file = $data/secrets/operator/operator_credential
operators_file = $data/secrets/operators/operators
auth_url = http://127.0.0.1:${internal_port[auth-service]}
workspace_url = http://127.0.0.1:${internal_port[workspace-service]}
chat_url = http://127.0.0.1:${internal_port[chat-service]}
realtime_url = http://127.0.0.1:${internal_port[realtime-gateway]}
payment_url = http://127.0.0.1:${internal_port[payment-service]}
gateway_url = http://127.0.0.1:$gateway_port
api_key = ${MARU_WEB_KEY:-native}
deploy_folder = $checkout/deploy
programs_folder = $programs
SETTINGS
}

service_is_ready() { answers "${internal_port[$1]}" /readyz; }

render_gateway() {
    "$checkout/deploy/nginx/publish" "$checkout/Web" "$data/web"
    "$checkout/deploy/lib/publish-reference" "$programs" "$checkout" "$(fetch_viewers)" "$data/web/docs"
    local standins=
    if [[ ${with_standins:-no} == yes ]]; then standins=127.0.0.1:$standins_port; fi
    env MARU_GATEWAY_STANDIN_PAYMENTS="$standins" MARU_GATEWAY_WEB="$data/web" MARU_GATEWAY_WEB_KEY="${MARU_WEB_KEY:-native}" MARU_GATEWAY_USER="$owner_of_gateway" MARU_GATEWAY_LISTEN="127.0.0.1:$gateway_port" MARU_GATEWAY_STATUS_LISTEN="127.0.0.1:$status_port" \
        MARU_GATEWAY_AUTH="127.0.0.1:${public_port[auth-service]}" \
        MARU_GATEWAY_WORKSPACE="127.0.0.1:${public_port[workspace-service]}" \
        MARU_GATEWAY_CHAT="127.0.0.1:${public_port[chat-service]}" \
        MARU_GATEWAY_REALTIME="127.0.0.1:${public_port[realtime-gateway]}" \
        MARU_GATEWAY_PAYMENT="127.0.0.1:${public_port[payment-service]}" \
        MARU_GATEWAY_CREDENTIAL_FILE="$data/secrets/gateway/gateway_credential" \
        MARU_GATEWAY_CONSOLE_LISTEN="127.0.0.1:$console_port" \
        MARU_GATEWAY_INTERNAL_AUTH="127.0.0.1:${internal_port[auth-service]}" \
        MARU_GATEWAY_INTERNAL_WORKSPACE="127.0.0.1:${internal_port[workspace-service]}" \
        MARU_GATEWAY_INTERNAL_CHAT="127.0.0.1:${internal_port[chat-service]}" \
        MARU_GATEWAY_INTERNAL_REALTIME="127.0.0.1:${internal_port[realtime-gateway]}" \
        MARU_GATEWAY_INTERNAL_PAYMENT="127.0.0.1:${internal_port[payment-service]}" \
        MARU_GATEWAY_INSTANCES_AUTH="$(instance_addresses auth-service)" \
        MARU_GATEWAY_INSTANCES_WORKSPACE="$(instance_addresses workspace-service)" \
        MARU_GATEWAY_INSTANCES_CHAT="$(instance_addresses chat-service)" \
        MARU_GATEWAY_INSTANCES_REALTIME="$(instance_addresses realtime-gateway)" \
        MARU_GATEWAY_INSTANCES_PAYMENT="$(instance_addresses payment-service)" \
        MARU_GATEWAY_ALLOWED_ORIGINS="${MARU_ALLOWED_ORIGINS:-${MARU_GATEWAY_ALLOWED_ORIGINS:-}}" \
        "$checkout/deploy/nginx/render" "$data/gateway"
}

start_gateway() {
    render_gateway || keeps "$data/gateway/nginx.conf" "${1:-}" || fail "the gateway has no valid configuration"
    start gateway TERM "$checkout/deploy/nginx/start" "$data/gateway"
}

gateway_is_ready() { answers "$status_port" /healthz; }

start_standins() {
    local run_as=(${as_service[@]+"${as_service[@]}"})
    mkdir -p "$data/secrets/standins"
    give_to_services "$data/secrets/standins"
    start standins TERM "${clean_environment[@]}" "$programs/standins" --port "$standins_port" \
        --mail-port $((standins_port + 1)) \
        --service-account "$data/secrets/standins/service-account.json"
}

standins_are_ready() { answers "$standins_port" /healthz; }
