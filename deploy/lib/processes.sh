# The processes of one instance. Each is a child of `up` in its own session, so that Ctrl-C reaches only `up`. If `up` is
# killed, each gets a signal.

declare -A process_ids=()

# Lets each process open as many files as the hard limit allows, and warns if that is too few for a gateway with sockets.
raise_descriptor_limit() {
    local most
    most=$(ulimit -Hn)
    if [[ $most == unlimited ]] || ((most > 1048576)); then most=1048576; fi
    ulimit -Sn "$most"
    ((most >= 8192)) || {
        say "A process can open only $most files here, and each connection needs one: more clients are refused. Better, as root:" >&2
        say "  ulimit -n 65536" >&2
    }
}

start_time_of() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

# start NAME SIGNAL COMMAND...: the process gets SIGNAL if `up` dies. The array run_as, if set, changes the user first.
start() {
    local name=$1 signal=$2 log="$data/logs/$1.log"
    shift 2
    # Move a large log aside, so that the folder stays bounded.
    if [[ -e $log && $(stat -c %s "$log") -gt 20000000 ]]; then mv "$log" "$log.old"; fi
    setsid ${run_as[@]+"${run_as[@]}"} setpriv --pdeathsig "$signal" "$@" >>"$log" 2>&1 </dev/null {instance_lock}>&- &
    process_ids[$name]=$!
    # On a full disk it runs without a record.
    record "$name" $! || true
}

# Moves large logs aside while their processes run. Each log is opened for appending, so its process continues at the beginning of
# the emptied file. Lines that come between the two steps are lost.
bound_logs() {
    local log
    while read -r log; do
        # Without room for a copy the lines are lost: half a copy after the other would fill the disk.
        cp "$log" "$log.old" || rm -f "$log.old" || true
        : >"$log" || true
    done < <(find "$data/logs" -maxdepth 1 -name '*.log' -size +20000000c)
}

# Records the id and the start time of process NAME. The start time distinguishes it from a later process with the same id.
record() {
    printf '%s %s\n' "$2" "$(start_time_of "$2")" >"$data/run/$1.new" && mv "$data/run/$1.new" "$data/run/$1.pid"
}

is_running() { [[ -n ${process_ids[$1]:-} ]] && kill -0 "${process_ids[$1]}" 2>/dev/null; }

# Ends the children of a process that ended by itself. Workers of a killed nginx would keep accepting connections.
end_orphans() { kill -TERM -- "-${process_ids[$1]}" 2>/dev/null || true; }

# send_signal SIGNAL NAME...
send_signal() {
    local signal=$1 name
    shift
    for name in "$@"; do
        if is_running "$name"; then kill "-$signal" "${process_ids[$name]}" 2>/dev/null || true; fi
    done
}

# Ends processes together with SIGNAL, and kills those that still run after SECONDS.
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

# Records this shell as the process that `down` stops.
record_self() { record up $$; }

# Whether deploy/up holds the lock. It writes its id at once, so wait for the moment between the two.
an_instance_runs() {
    local attempt process started
    for ((attempt = 0; attempt < 20; attempt++)); do
        process='' started=''
        read -r process started 2>/dev/null <"$data/run/up.pid" || true
        if [[ -n $process && $(start_time_of "$process") == "$started" ]]; then return 0; fi
        sleep 0.05
    done
    return 1
}

# Ends the processes that a killed instance of this data folder left behind, if they are still the recorded ones.
stop_leftovers() {
    local file process started
    for file in "$data"/run/*.pid; do
        [[ -e $file && $file != */up.pid ]] || continue
        read -r process started <"$file" || true
        if [[ -n ${process:-} && -n ${started:-} && $(start_time_of "$process") == "$started" ]]; then
            say "Stopping ${file##*/} of an earlier run"
            kill -TERM "$process" 2>/dev/null || true
            local deadline=$((SECONDS + 35))
            while [[ $(start_time_of "$process") == "$started" ]] && ((SECONDS < deadline)); do sleep 0.05; done
            kill -KILL "$process" 2>/dev/null || true
        fi
        rm -f "$file"
    done
}

# Sends TEXT to a port of 127.0.0.1 and checks that line LINE of the answer begins with START. It uses a subshell, because
# writing to a reset connection ends the shell.
# port_answers PORT TEXT LINE START
port_answers() (
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
    printf '%b' "$2" >&3
    for ((number = 0; number < $3; number++)); do read -r -t 2 line <&3 || return 1; done
    [[ $line == "$4"* ]]
) 2>/dev/null

# Checks that an HTTP GET is answered with 200.
answers() { port_answers "$1" "GET $2 HTTP/1.0\r\nHost: localhost\r\n\r\n" 1 'HTTP/1.1 200 '; }

# Prints seconds as many times as MARU_PATIENCE says, which tests set on a slow machine: see deploy/test.
patiently() {
    local times=1
    if [[ ${MARU_PATIENCE:-} =~ ^[1-9][0-9]{0,2}$ ]]; then times=$MARU_PATIENCE; fi
    printf '%s' "$(($1 * times))"
}

# Waits until a command succeeds. Fails if process NAME ends or SECONDS pass, with the patience of tests.
# await SECONDS NAME COMMAND...
await() {
    local deadline name=$2
    deadline=$((SECONDS + $(patiently "$1")))
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
