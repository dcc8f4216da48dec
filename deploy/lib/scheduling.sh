# Makes the kernel share the processors fairly between the processes of an instance.

# A kernel with autogroups gives each session the same share, and each process of Postgres is a session. Beside threads that
# hash passwords, Postgres has waited for seconds. In a control group, such as that of a service manager or a container engine,
# the kernel weighs threads one by one. If this shell is in no control group, it enters a new one with its children, if it
# has the right to. The empty group remains afterwards.
share_processors() {
    [[ $(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null) == 1 ]] || return 0
    ! is_in_processor_group || return 0
    enter_processor_group 2>/dev/null || {
        say "This kernel shares the processors between sessions, which can delay Postgres under load. To avoid that:" >&2
        say "  sysctl kernel.sched_autogroup_enabled=0" >&2
    }
}

# Prints this shell's control group: that of the cpu controller in version 1, or that of version 2.
control_group() {
    awk -F: '$2 ~ /(^|,)cpu(,|$)/ { first = $3 } $1 == 0 { second = $3 } END { print first ? first : second }' \
        /proc/self/cgroup
}

is_in_processor_group() {
    local group
    group=$(control_group)
    [[ $group != / ]] || return 1
    # In version 2 a parent group must have enabled the controller.
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
