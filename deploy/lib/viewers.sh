# The viewers of the API reference: web components from Python packages, which nginx serves by itself.

# Downloads the packages of viewers.txt, checks their hashes, puts them into a folder of the checkout, and prints the folder. It
# prints nothing if the package index cannot be reached: the reference then has its documents and guides without viewers.
fetch_viewers() {
    local list=$checkout/deploy/lib/viewers.txt folder
    folder=$checkout/.build/viewers/$(sha256sum "$list" | cut -c1-16)
    if [[ ! -d $folder ]]; then
        rm -rf "$folder.new"
        # The deployment makes files for their owner alone, but nginx reads these as another user.
        if ! (umask 022 && python3 -m pip install --quiet --root-user-action=ignore --disable-pip-version-check \
            --no-deps --only-binary=:all: --require-hashes --target "$folder.new" --requirement "$list" >&2); then
            rm -rf "$folder.new"
            say "The viewers at /docs could not be downloaded; it serves the documents alone." >&2
            return 0
        fi
        mv "$folder.new" "$folder"
    fi
    printf '%s\n' "$folder"
}
