# Debian packages.

build_packages=(libpq-dev libssl-dev libhiredis-dev libcurl4-openssl-dev libargon2-dev zlib1g-dev pkg-config)
run_packages=(postgresql-15 redis-server nginx-light jq curl openssl ca-certificates libvips42 cmark-gfm python3-pip)
# Of the continuous archive alone.
archive_packages=(pgbackrest)
# Of deploy/lab alone.
lab_packages=(patroni etcd-server python3-etcd curl)
test_packages=(python3-venv prometheus shellcheck chromium nodejs fonts-noto-cjk fonts-noto-color-emoji zbar-tools)

missing_packages() {
    local installed
    installed=$(dpkg-query -W -f '${db:Status-Status} ${binary:Package}\n' 2>/dev/null | sed -n 's/^installed \([^:]*\).*/\1/p')
    local package
    for package in "$@"; do
        # Any package that provides nginx is enough.
        if [[ $package == nginx-light ]] && command -v nginx >/dev/null; then continue; fi
        grep -qxF -- "$package" <<<"$installed" || printf '%s\n' "$package"
    done
}

# Installs missing packages without starting or enabling their servers.
install_packages() {
    command -v dpkg-query >/dev/null || fail "this needs Debian 12; missing packages cannot be looked up without dpkg"
    local missing
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0

    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || fail "run this as root first: apt-get install --no-install-recommends ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing ${missing[*]}"
    "${as_root[@]}" bash -s -- "${missing[@]}" <"$checkout/deploy/lib/install" || fail "could not install ${missing[*]}"
}
