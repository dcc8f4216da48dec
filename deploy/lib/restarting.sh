# Restarts the processes of one instance that have ended by themselves, also while the disk is full: then lines of the log and the records
# of processes are lost, and a process gets the configuration that it had.

declare -A restarts=() first_restart=()

# Restarts processes that have ended by themselves. If one keeps ending, stops everything, so that somebody notices.
restart_ended() {
    local name status
    for name in "${!process_ids[@]}"; do
        # A process that is being replaced is about to end.
        [[ $name != old-* ]] && ! is_running "$name" || continue
        status=0
        wait "${process_ids[$name]}" 2>/dev/null || status=$?
        end_orphans "$name"
        if ((SECONDS - ${first_restart[$name]:-0} > 60)); then first_restart[$name]=$SECONDS restarts[$name]=0; fi
        restarts[$name]=$((restarts[$name] + 1))
        if ((restarts[$name] > 8)); then give_up "$name keeps ending"; fi
        say "$(date -u +%FT%TZ) $name ended with status $status and is restarted" || true
        sleep "0.$((restarts[$name] - 1))"
        start_again "$name"
    done
}

start_again() {
    case $1 in
        postgres | redis | gateway | standins) "start_$1" again ;;
        *) start_service "$1" again ;;
    esac
}

# Whether a process that is started again may go on with its FILE after a failure to write it.
# keeps FILE [again]
keeps() {
    [[ ${2:-} == again && -s $1 ]] || return
    say "$1 cannot be written and stays as it is" || true
}
