# Release builds.

# All release builds use the same flags, so that none invalidates another. With the static standard library the executables
# run anywhere, and processes avoid the relocations of the shared one.
release_flags=(--configuration release --static-swift-stdlib --package-path "$checkout")

programs=${MARU_PROGRAMS:-$checkout/.build/release}

# Builds products with changed sources. It compares dates first, because the package manager takes seconds. Others may enter the folder of
# the build, because the services run as another user.
build_release() {
    [[ -z ${MARU_PROGRAMS:-} ]] || return 0
    command -v swift >/dev/null || fail "no Swift toolchain on PATH; Maru needs Swift 6.3 (https://www.swift.org/install)"
    local product stamp mask
    mask=$(umask)
    umask 022
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
    umask "$mask"
}

# Prints a source of a product that is newer than a file. Services use nothing from Tests, nor does maructl; the other products
# do.
newer_than() {
    local folders=(Package.swift Shared Services Tools)
    [[ " ${services[*]} picture-previews maructl " == *" $2 "* ]] || folders+=(Tests)
    (cd "$checkout" && find "${folders[@]}" -newer "$1" ! -name '*.py' ! -name '*.pyc' ! -name __pycache__ -print -quit)
}

# Runs a command in the background and waits, so that a signal interrupts the wait and `end_command` can stop the command.
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

# Prints the names of products with a prefix, without the prefix.
products_named() {
    swift package --package-path "$checkout" describe --type json |
        jq -r --arg prefix "$1-" '.products[].name | select(startswith($prefix)) | ltrimstr($prefix)' | sort
}

# Prints the services that a measurement starts. By default a load generator starts the service of its name.
services_of() {
    local service
    case $1-$2 in
        load-product) printf '%s\n' "${services[@]}" ;;
        bench-sends | bench-history | bench-changes | bench-search) printf 'chat-service\n' ;;
        bench-http) printf 'payment-service\n' ;;
        bench-fanout | bench-me | load-realtime) printf '%s\n' realtime-gateway chat-service ;;
        load-*)
            for service in "${services[@]}"; do
                if [[ $2 == "$(role_of "$service")" ]]; then printf '%s\n' "$service"; fi
            done
            ;;
    esac
}

# Prints the Debian packages of a measurement's peers.
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
        say "usage: deploy/$prefix <name>; names: ${known//$'\n'/ }"
        return
    fi
    grep -qxF -- "$name" <<<"$known" || fail "unknown name $name; names: ${known//$'\n'/ }"
    shift 2
    local peers
    mapfile -t peers < <(packages_of "$prefix" "$name")
    install_packages "${peers[@]}"
    build_release "$prefix-$name"
    local service
    for service in $(services_of "$prefix" "$name"); do build_release "$service"; done
    # These measure beside python-socketio.
    case $prefix-$name in bench-fanout | load-realtime) make_environment ;; esac
    share_processors
    exec "$programs/$prefix-$name" "$@"
}
