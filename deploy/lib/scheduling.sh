# How the kernel shares the processors between what is started here.

# A kernel with autogroups gives every session the same share, whatever its threads want, and each process of Postgres is
# a session: beside threads that hash passwords it has waited for seconds. What a service manager or a container engine
# starts is in a control group, where threads are weighed one by one; where nobody has put this shell into one, it enters
# its own with what it starts, if it may. The group stays behind, empty.
share_processors() {
    [[ $(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null) == 1 ]] || return 0
    ! is_in_processor_group || return 0
    enter_processor_group 2>/dev/null || {
        say "This kernel shares the processors between sessions, which can hold up Postgres under load. Better:" >&2
        say "  sysctl kernel.sched_autogroup_enabled=0" >&2
    }
}

# This shell's control group: of the controller of processors in version 1, else of version 2.
control_group() {
    awk -F: '$2 ~ /(^|,)cpu(,|$)/ { first = $3 } $1 == 0 { second = $3 } END { print first ? first : second }' \
        /proc/self/cgroup
}

is_in_processor_group() {
    local group
    group=$(control_group)
    [[ $group != / ]] || return 1
    # In version 2 somebody above has to have asked for the controller.
    group=${group#/}
    [[ ! -e /sys/fs/cgroup/cgroup.controllers || -e /sys/fs/cgroup/${group%%/*}/cpu.weight ]]
}

enter_processor_group() {
    [[ $(control_group) == / ]] || return
    local groups=/sys/fs/cgroup/cpu
    if [[ -e /sys/fs/cgroup/cgroup.controllers ]]; then
        groups=/sys/fs/cgroup
        echo +cpu >"$groups/cgroup.subtree_control" || return
    fi
    mkdir -p "$groups/maru" && echo $$ >"$groups/maru/cgroup.procs"
}
