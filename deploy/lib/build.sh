# Release builds.

# Every release build has the same flags, so that one never undoes another: the static library makes executables that
# run anywhere, and spares each process the relocations of the shared one.
release_flags=(--configuration release --static-swift-stdlib --package-path "$checkout")

programs=${MARU_PROGRAMS:-$checkout/.build/release}

# Builds products, but looks at the sources' dates first: asking the package manager costs seconds.
build_release() {
    [[ -z ${MARU_PROGRAMS:-} ]] || return 0
    command -v swift >/dev/null || fail "no Swift toolchain on PATH; Maru needs Swift 6.3 (https://www.swift.org/install)"
    local product stamp
    for product in "$@"; do
        stamp="$checkout/.build/maru-$product.built"
        if [[ -x $programs/$product && -e $stamp ]]; then
            [[ -n $(newer_than "$stamp" "$product") ]] || continue
        fi
        say "Building $product"
        mkdir -p "$checkout/.build"
        touch "$stamp.began"
        run_interruptibly swift build "${release_flags[@]}" --product "$product" || fail "building $product failed"
        mv "$stamp.began" "$stamp"
    done
}

# A source that changed since. Services have nothing from Tests; stand-ins, benchmarks and load generators have.
newer_than() {
    local folders=(Package.swift Shared Services)
    [[ " ${services[*]} " == *" $2 "* ]] || folders+=(Tests)
    (cd "$checkout" && find "${folders[@]}" -newer "$1" ! -name '*.py' ! -name '*.pyc' ! -name __pycache__ -print -quit)
}

# A command that a signal to this shell does not have to wait for: what is under way is ended in `end_command`.
run_interruptibly() {
    "$@" &
    command_under_way=$!
    local status=0
    wait "$command_under_way" || status=$?
    command_under_way=
    return $status
}

end_command() {
    [[ -n ${command_under_way:-} ]] || return 0
    kill -TERM "$command_under_way" 2>/dev/null || true
    wait "$command_under_way" 2>/dev/null || true
    command_under_way=
}

# The products whose names begin so, without the beginning.
products_named() {
    swift package --package-path "$checkout" describe --type json |
        jq -r --arg prefix "$1-" '.products[].name | select(startswith($prefix)) | ltrimstr($prefix)' | sort
}

# The services that a measurement starts: a load generator's is the one of its name.
services_of() {
    local service
    case $1-$2 in
        load-product) printf '%s\n' "${services[@]}" ;;
        bench-sends | bench-history) printf 'chat-service\n' ;;
        bench-http) printf 'payment-service\n' ;;
        bench-fanout | load-realtime) printf '%s\n' realtime-gateway chat-service ;;
        load-*)
            for service in "${services[@]}"; do
                if [[ $2 == "$(role_of "$service")" ]]; then printf '%s\n' "$service"; fi
            done
            ;;
    esac
}

# The Debian packages of the peers beside which a measurement measures.
packages_of() {
    case $1-$2 in
        bench-http) printf 'wrk\n' ;;
        bench-websocket | bench-fanout | load-realtime) printf 'libnginx-mod-nchan\n' ;;
    esac
}

# run_product PREFIX [NAME [arguments]]
run_product() {
    local prefix=$1 name=${2:-}
    if [[ $name == --help || $name == -h ]]; then
        print_help
        return
    fi
    install_packages "${build_packages[@]}" "${run_packages[@]}"
    local known
    known=$(products_named "$prefix")
    if [[ -z $name ]]; then
        say "deploy/$prefix <name>; there are: ${known//$'\n'/ }"
        return
    fi
    grep -qxF -- "$name" <<<"$known" || fail "no $name; there are: ${known//$'\n'/ }"
    shift 2
    local peers
    mapfile -t peers < <(packages_of "$prefix" "$name")
    install_packages "${peers[@]}"
    build_release "$prefix-$name"
    local service
    for service in $(services_of "$prefix" "$name"); do build_release "$service"; done
    # One of their peers is python-socketio.
    case $prefix-$name in bench-fanout | load-realtime) make_environment ;; esac
    share_processors
    exec "$programs/$prefix-$name" "$@"
}
