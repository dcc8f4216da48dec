# Creates the environment of the Python tests and tools: the system's interpreter with the packages of
# Tests/requirements.txt.

make_environment() {
    local folder=$checkout/.venv tests=$checkout/Tests sum
    sum=$(cat "$tests"/requirements*.txt | sha256sum)
    [[ $(cat "$folder/made-from" 2>/dev/null) != "$sum" ]] || return 0
    rm -rf "$folder"
    /usr/bin/python3 -m venv "$folder"
    local install=("$folder/bin/pip" install --quiet --disable-pip-version-check)
    "${install[@]}" --requirement "$tests/requirements.txt"
    "${install[@]}" --no-deps --target "$folder/socketio-4" --requirement "$tests/requirements-socketio-4.txt"
    "${install[@]}" --no-deps --target "$folder/stock-client" --requirement "$tests/requirements-stock-client.txt"
    printf '%s\n' "$sum" >"$folder/made-from"
}
