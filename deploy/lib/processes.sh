# The processes of one instance. Each is a child of `up` in a session of its own, so that Ctrl-C reaches only `up`, and
# gets a signal when `up` dies without a word.

declare -A process_ids=()

start_time_of() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

# start NAME SIGNAL COMMAND...: SIGNAL is what ends it when `up` dies. The array run_as, when set, changes the user first.
start() {
    local name=$1 signal=$2 log="$data/logs/$1.log"
    shift 2
    # A log that has grown is put aside once, so that the folder stays bounded.
    if [[ -e $log && $(stat -c %s "$log") -gt 20000000 ]]; then mv "$log" "$log.old"; fi
    setsid ${run_as[@]+"${run_as[@]}"} setpriv --pdeathsig "$signal" "$@" >>"$log" 2>&1 </dev/null {instance_lock}>&- &
    process_ids[$name]=$!
    record "$name" $!
}

# Writes down which process NAME is; when it started tells it from a later one with the same number.
record() {
    printf '%s %s\n' "$2" "$(start_time_of "$2")" >"$data/run/$1.new"
    mv "$data/run/$1.new" "$data/run/$1.pid"
}

is_running() { [[ -n ${process_ids[$1]:-} ]] && kill -0 "${process_ids[$1]}" 2>/dev/null; }

# Ends what a process that has ended by itself leaves behind: workers of a killed nginx would go on to accept connections.
end_orphans() { kill -TERM -- "-${process_ids[$1]}" 2>/dev/null || true; }

# send_signal SIGNAL NAME...
send_signal() {
    local signal=$1 name
    shift
    for name in "$@"; do
        if is_running "$name"; then kill "-$signal" "${process_ids[$name]}" 2>/dev/null || true; fi
    done
}

# Ends processes together: SIGNAL, then after SECONDS the hard way.
# stop SIGNAL SECONDS NAME...
stop() {
    local signal=$1 seconds=$2 name deadline
    shift 2
    send_signal "$signal" "$@"
    deadline=$((SECONDS + seconds))
    for name in "$@"; do
        while is_running "$name" && ((SECONDS < deadline)); do sleep 0.02; done
        if is_running "$name"; then
            say "$name did not stop within $seconds s and is killed"
            kill -KILL "${process_ids[$name]}" 2>/dev/null || true
            end_orphans "$name"
        fi
        if [[ -n ${process_ids[$name]:-} ]]; then wait "${process_ids[$name]}" 2>/dev/null || true; fi
        rm -f "$data/run/$name.pid"
        unset "process_ids[$name]"
    done
}

# Writes down that this shell is the one that `down` has to tell.
record_self() { record up $$; }

# Ends what a killed instance left behind in this data folder, if it is still the process that was started.
stop_leftovers() {
    local file process started
    for file in "$data"/run/*.pid; do
        [[ -e $file && $file != */up.pid ]] || continue
        read -r process started <"$file" || true
        if [[ -n ${process:-} && -n ${started:-} && $(start_time_of "$process") == "$started" ]]; then
            say "Ending ${file##*/} of an earlier run"
            kill -TERM "$process" 2>/dev/null || true
            local deadline=$((SECONDS + 35))
            while [[ $(start_time_of "$process") == "$started" ]] && ((SECONDS < deadline)); do sleep 0.05; done
            kill -KILL "$process" 2>/dev/null || true
        fi
        rm -f "$file"
    done
}

# Says TEXT to a port of 127.0.0.1 and whether line LINE of the answer begins with START. In a shell of its own: a
# connection that is reset ends the one who writes to it.
# port_answers PORT TEXT LINE START
port_answers() (
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
    printf '%b' "$2" >&3
    for ((number = 0; number < $3; number++)); do read -r -t 2 line <&3 || return 1; done
    [[ $line == "$4"* ]]
) 2>/dev/null

# Whether an HTTP GET is answered with 200.
answers() { port_answers "$1" "GET $2 HTTP/1.0\r\nHost: localhost\r\n\r\n" 1 'HTTP/1.1 200 '; }

# Waits until a command succeeds; fails when one of the processes ends meanwhile or SECONDS pass.
# await SECONDS NAME COMMAND...
await() {
    local deadline=$((SECONDS + $1)) name=$2
    shift 2
    until "$@"; do
        is_running "$name" || give_up "$name ended while starting"
        ((SECONDS < deadline)) || give_up "$name was not ready in time"
        sleep 0.03
    done
}

give_up() {
    say "$1; the end of $data/logs/${1%% *}.log:" >&2
    tail -n 15 "$data/logs/${1%% *}.log" >&2
    exit 1
}
