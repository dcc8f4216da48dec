# How the kernel shares the processors between what is started here.

# A kernel with autogroups gives every session the same share, whatever its threads want, and each process of Postgres is
# a session: beside threads that hash passwords it has waited for seconds. What a service manager or a container engine
# starts is in a control group, where threads are weighed one by one; so is this shell from now on, and what it starts,
# where it is allowed to. The group stays behind, empty.
share_processors() {
    [[ $(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null) == 1 ]] || return 0
    local groups
    groups=$(processor_groups)
    [[ -n $groups ]] || return 0
    if ! { mkdir -p "$groups/maru" && echo $$ >"$groups/maru/cgroup.procs"; } 2>/dev/null; then
        say "This kernel shares the processors between sessions, which can hold up Postgres under load. Better:" >&2
        say "  sysctl kernel.sched_autogroup_enabled=0" >&2
    fi
}

# The folder of the control groups that share processors; nothing where this shell is in one of them already.
processor_groups() {
    local hierarchy controllers path first
    while IFS=: read -r hierarchy controllers path; do
        if [[ ,$controllers, == *,cpu,* ]]; then
            # Version 1.
            if [[ $path == / ]]; then printf '%s' /sys/fs/cgroup/cpu; fi
            return
        elif [[ $hierarchy == 0 && -e /sys/fs/cgroup/cgroup.controllers ]]; then
            first=${path#/} first=${first%%/*}
            if [[ -n $first && -e /sys/fs/cgroup/$first/cpu.weight ]]; then return; fi
            { echo +cpu >/sys/fs/cgroup/cgroup.subtree_control; } 2>/dev/null || true
            printf '%s' /sys/fs/cgroup
            return
        fi
    done </proc/self/cgroup
}
