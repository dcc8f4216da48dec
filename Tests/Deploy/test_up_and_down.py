"""deploy/up and deploy/down: idempotent, safe to interrupt, private."""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import pytest
from gateway import CHECKOUT, SERVICES, eventually, free_ports, patiently
from instance import Instance


@pytest.fixture
def instance():
    with Instance() as each:
        yield each


@pytest.fixture(scope="module")
def running():
    with Instance() as each:
        each.up()
        yield each


def test_up_starts_everything_and_prints_addresses_and_a_first_request(instance):
    output = instance.up()
    api = f"http://127.0.0.1:{instance.port('gateway_port')}"
    assert f"{api}/v1" in output and f"curl {api}/v1/users/join" in output
    assert json.loads(instance.get("/v1/users/me"))["service"] == "auth-service"
    assert {each.stem for each in (instance.data / "run").glob("*.pid")} == {
        *SERVICES.values(),
        *("postgres", "redis", "gateway", "up"),
    }
    # A first start is nothing that an operator need look at.
    for service in SERVICES.values():
        assert '"level":"error"' not in (instance.data / f"logs/{service}.log").read_text(), service
    assert "Maru is stopped" in instance.down()
    instance.until_ended()


def test_up_uses_a_redis_of_others(instance, tmp_path):
    url = "redis+cluster://:secret@127.0.0.1:7000,127.0.0.1:7001"
    (tmp_path / "url").write_text(url + "\n")
    for given in (tmp_path / "url", url):
        instance.up("--port", "0", "--redis", given)
        assert not (instance.data / "run/redis.pid").exists()
        assert (instance.data / "secrets/chat/redis_url").read_text() == url
        instance.down()
    refused = instance.run("up", "--redis", tmp_path / "missing")
    assert refused.returncode == 1 and "--redis" in refused.stderr


def test_a_second_up_reports_the_running_instance_and_changes_nothing(running):
    before = running.recorded()
    for options in ((), ("--detach",)):
        result = running.run("up", *options)
        assert result.returncode == 0
        assert "already runs" in result.stdout and str(running.port("gateway_port")) in result.stdout
    assert running.recorded() == before


def test_up_and_down_fail_while_a_restore_uses_the_data(instance):
    (instance.data / "run").mkdir(parents=True, exist_ok=True)
    with (instance.data / "run/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = instance.run("up", "--detach")
        down = instance.run("down")
    assert result.returncode == 1 and "another command, such as deploy/restore, uses" in result.stderr
    assert "already runs" not in result.stdout
    assert down.returncode == 1 and "nothing was stopped" in down.stderr


def test_down_without_a_running_instance_is_no_error(instance):
    assert "does not run" in instance.down()
    assert "does not run" in instance.down()


def test_a_warm_start_takes_less_than_ten_seconds_and_keeps_ports_secrets_and_data(instance):
    instance.up()
    secrets = {path: path.read_text() for path in (instance.data / "secrets").rglob("*") if path.is_file()}
    assert instance.psql("chat", "CREATE TABLE kept AS SELECT 1").returncode == 0

    def ports():
        return sorted((instance.data / "ports").read_text().split())

    def is_quick_and_keeps_ports():
        before = ports()
        instance.down()
        began = time.monotonic()
        instance.up("--detach")
        return time.monotonic() - began < patiently(10) and ports() == before

    # A start during which the machine stands still takes longer, and another instance may have taken a port meanwhile. So another start
    # counts.
    assert any(is_quick_and_keeps_ports() for _ in range(3))
    assert {path: path.read_text() for path in (instance.data / "secrets").rglob("*") if path.is_file()} == secrets
    assert instance.psql("chat", "SELECT * FROM kept").stdout == "1\n"


def test_two_instances_run_side_by_side(running, instance):
    instance.up()
    assert json.loads(instance.get("/v1/users/me"))["service"] == "auth-service"
    assert json.loads(running.get("/v1/users/me"))["service"] == "auth-service"
    for name in ("postgres/auth", "redis/password", "auth/service_credential"):
        ours, theirs = (each.data / "secrets" / name for each in (running, instance))
        assert ours.read_text() != theirs.read_text()


def processor_group(process):
    """Returns the control group of a process, for version 1 or 2."""
    lines = [line.split(":", 2) for line in pathlib.Path(f"/proc/{process}/cgroup").read_text().splitlines()]
    of_version_1 = [path for _, controllers, path in lines if "cpu" in controllers.split(",")]
    return of_version_1[0] if of_version_1 else next(path for number, _, path in lines if number == "0")


def test_processors_are_shared_between_threads_and_not_between_sessions(running):
    names = [*SERVICES.values(), "postgres", "redis", "gateway"]
    groups = {processor_group(running.process(name)) for name in names}
    assert len(groups) == 1
    by_session = pathlib.Path("/proc/sys/kernel/sched_autogroup_enabled")
    if by_session.exists() and by_session.read_text().strip() == "1" and os.geteuid() == 0:
        # Autogroups only apply to processes outside control groups.
        assert groups != {"/"}


def test_secrets_are_created_and_only_their_owner_can_read_them(running):
    files = [path for path in (running.data / "secrets").rglob("*") if path.is_file()]
    # Six roles of Postgres, Redis, the account of the stand-ins, the API gateway, the operators, and five files of each service.
    assert len(files) == 6 + 1 + 1 + 1 + 1 + 5 * 5
    for path in [*files, *(running.data / "config").iterdir()]:
        assert path.stat().st_mode & 0o077 == 0, path
    passwords = [path.read_text() for path in (running.data / "secrets/postgres").iterdir()]
    assert len(set(passwords)) == 6 and all(len(each) == 43 for each in passwords)
    commands = " ".join(running.processes().values())
    assert not any(path.read_text() in commands for path in files)


def test_a_service_owns_its_schema_and_cannot_read_anothers(running):
    assert running.psql("auth", "CREATE TABLE secret AS SELECT 1").returncode == 0
    for role in ("workspace", "chat", "realtime", "payment"):
        assert running.psql(role, "SELECT current_schema()").stdout == f"{role}\n"
        assert "permission denied" in running.psql(role, "SELECT * FROM auth.secret").stderr
        assert "permission denied" in running.psql(role, "CREATE TABLE auth.mine ()").stderr
        assert "permission denied" in running.psql(role, "CREATE TABLE public.mine ()").stderr
        assert "permission denied" in running.psql(role, "CREATE SCHEMA mine").stderr


def test_postgres_and_redis_need_a_password(running):
    port = running.port("postgres_port")
    for host in ("127.0.0.1", running.data / "sockets"):
        command = ["psql", "-XAtwc", "SELECT 1", f"host={host} port={port} user=auth dbname=maru"]
        assert "no password supplied" in subprocess.run(command, capture_output=True, text=True).stderr
    with socket.create_connection(("127.0.0.1", running.port("redis_port"))) as redis:
        redis.sendall(b"KEYS *\r\n")
        assert redis.recv(100).startswith(b"-NOAUTH")


@pytest.mark.parametrize("name", ["chat-service", "gateway", "redis", "postgres"])
def test_a_killed_process_is_restarted(running, name):
    running.kill(name)
    eventually(lambda: running.psql("auth", "SELECT 1").stdout == "1\n", 60)
    assert f"{name} ended" in (running.data / "logs/up.log").read_text()


def test_no_worker_of_a_killed_gateway_keeps_accepting(running):
    master = running.process("gateway")
    workers = pathlib.Path(f"/proc/{master}/task/{master}/children").read_text().split()
    assert workers
    running.kill("gateway")
    eventually(lambda: not any(pathlib.Path(f"/proc/{worker}").exists() for worker in workers), 60)


def test_processes_that_are_killed_together_are_all_restarted(running):
    names = [*SERVICES.values(), "redis"]
    for _ in range(3):
        before = {name: running.process(name) for name in names}
        for process in before.values():
            os.kill(process, signal.SIGKILL)
        for name in names:
            eventually(lambda: running.is_back(name, before[name]), 60)
        eventually(lambda: running.psql("auth", "SELECT 1").stdout == "1\n", 60)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything_in_order(instance, sent):
    process = instance.start_in_foreground()
    eventually(instance.is_ready, 60)
    process.send_signal(sent)
    output = process.communicate(timeout=patiently(60))[0]
    assert process.returncode == 128 + sent
    assert "Maru runs" in output and "Stopping" in output
    instance.until_ended()
    for service in SERVICES.values():
        assert "drained" in (instance.data / f"logs/{service}.log").read_text()
    assert "shut down" in (instance.data / "logs/postgres.log").read_text()


def has_ended_by_interruption(process):
    """Presses Ctrl-C and waits a while. Bash can lose a signal that it traps in the moment in which a substitution ends, about once
    in a hundred times; a person presses Ctrl-C again."""
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=5)
    return process.returncode


def test_an_interruption_at_any_time_leaves_no_process_and_no_damage(instance):
    for milliseconds in (5, 20, 60, 150, 300, 500, 700, 900, 1200, 1600, 2000, 2500):
        process = instance.start_in_foreground()
        time.sleep(milliseconds / 1000)
        eventually(lambda: has_ended_by_interruption(process), 60)
        instance.until_ended()
    instance.up()
    assert json.loads(instance.get("/v1/users/me"))["service"] == "auth-service"


def test_killing_up_stops_the_rest_and_the_next_up_works(instance):
    process = instance.start_in_foreground()
    eventually(instance.is_ready, 60)
    process.kill()
    process.communicate()
    instance.until_ended()
    instance.up()
    assert json.loads(instance.get("/v1/users/me"))["service"] == "auth-service"


def test_down_stops_an_instance_that_is_still_starting(instance):
    process = instance.start_in_foreground()
    eventually(lambda: (instance.data / "run/postgres.pid").exists(), 60)
    assert "Maru is stopped" in instance.down()
    process.communicate(timeout=patiently(60))
    instance.until_ended()


def test_a_service_that_does_not_start_stops_everything_and_its_log_is_printed(instance):
    (instance.programs / "chat-service").unlink()
    (instance.programs / "chat-service").write_text(
        "#!/bin/sh\n[ $1 != --print-config ] || exit 0\necho the reason\nexit 3\n"
    )
    (instance.programs / "chat-service").chmod(0o755)
    result = instance.run("up", "--detach", "--port", "0")
    assert result.returncode != 0
    assert "chat-service ended while starting" in result.stderr and "the reason" in result.stderr
    instance.until_ended()


def test_a_setting_of_the_operator_wins_and_a_misspelt_one_is_refused(instance):
    settings = instance.data / "settings/chat-service.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text("# mine\n\n  files_folder=/tmp\n  database_url = postgres://elsewhere/maru\n")
    instance.up()
    configuration = (instance.data / "config/chat-service.conf").read_text().splitlines()
    assert [line.strip() for line in configuration if "files_folder" in line] == ["files_folder=/tmp"]
    assert [line.strip() for line in configuration if "database" in line] == ["database_url = postgres://elsewhere/maru"]
    instance.down()
    settings.write_text("flies_folder = /tmp\n")
    result = instance.run("up", "--detach")
    assert result.returncode != 0 and "flies_folder" in result.stderr


def test_without_stand_ins_mails_become_files_among_the_logs(running):
    folder = running.data / "logs/mail"
    assert f"mail_folder = {folder}" in (running.data / "config/auth-service.conf").read_text().splitlines()
    assert folder.owner() == running.data.joinpath("config/auth-service.conf").owner()


def test_a_requested_port_that_is_taken_is_named(instance):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = instance.run("up", "--detach", "--port", str(port))
        assert result.returncode != 0 and f"port {port} is taken" in result.stderr


def are_free(ports):
    with contextlib.ExitStack() as opened, contextlib.suppress(OSError):
        for port in ports:
            opened.enter_context(socket.create_server(("127.0.0.1", port)))
        return True
    return False


def test_ports_can_be_requested(instance):
    # Five ports in a row for the services, and five for their internal addresses. deploy/up chooses none of these by itself.
    rows = set()
    while len(rows) < 3:
        row = free_ports(1)[0] // 20 * 20 + 10
        if are_free(range(row, row + 5)):
            rows.add(row)
    gateway, services, internals = rows
    instance.up("--port", str(gateway), "--services", str(services), "--internal", str(internals))
    assert json.loads(instance.get("/v1/store/item/list"))["service"] == "payment-service"
    for number, service in enumerate(SERVICES.values()):
        configuration = (instance.data / f"config/{service}.conf").read_text()
        assert f"public_address = 127.0.0.1:{services + number}\n" in configuration
        assert f"internal_address = 127.0.0.1:{internals + number}\n" in configuration
    instance.down()
    instance.up("--detach")
    assert instance.port("gateway_port") == gateway


@pytest.mark.parametrize("command", ["up", "down"])
def test_help_lists_every_option_and_a_wrong_option_is_refused(command):
    help = subprocess.run([CHECKOUT / "deploy" / command, "--help"], capture_output=True, text=True)
    assert help.returncode == 0 and help.stdout.startswith("St") and "--data" in help.stdout
    wrong = subprocess.run([CHECKOUT / "deploy" / command, "--wrong"], capture_output=True, text=True)
    assert wrong.returncode == 1 and "--wrong" in wrong.stderr


def test_without_options_the_ports_are_those_of_the_readme(instance):
    taken = (CHECKOUT / "deploy/up").read_text()
    for name, port in (("gateway_port", 8080), ("services_port", 8101), ("internals_port", 9101)):
        line = next(line for line in taken.splitlines() if line.startswith(f"choose_ports {name} "))
        assert line.endswith(str(port))


def only_as_root(test):
    """Marks tests of Maru started by root."""
    return test if os.geteuid() == 0 else None


@only_as_root
def test_the_cluster_moves_if_the_user_postgres_cannot_reach_the_folder(instance):
    instance.folder.chmod(0o700)
    instance.up()
    cluster = pathlib.Path((instance.data / "cluster").read_text().strip())
    assert not str(cluster).startswith(str(instance.folder)) and (cluster / "PG_VERSION").exists()
    assert str(cluster) in (instance.data / "logs/up.log").read_text()
    assert instance.psql("auth", "SELECT 1").stdout == "1\n"


def owner(process):
    """Returns the name of the user of a process, or None if it has ended: a session of Postgres may end at any moment."""
    try:
        return pwd.getpwuid(pathlib.Path(f"/proc/{process}").stat().st_uid).pw_name
    except (FileNotFoundError, ProcessLookupError):
        return None


def owners(instance, name):
    """Returns the names of the users of a process and its children."""
    process = instance.process(name)
    children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return {owner(each) for each in (process, *children)} - {None}


@only_as_root
def test_root_runs_the_services_as_a_user_without_rights(running):
    for name in (*SERVICES.values(), "redis"):
        assert owners(running, name) == {"maru"}, name
    assert owners(running, "postgres") == {"postgres"}
    # The master process of nginx may read a certificate's key; the workers talk to clients.
    assert owners(running, "gateway") == {"root", "maru"}
    for role in ("auth", "chat"):
        paths = [running.data / "files" / role, *(running.data / "secrets" / role).iterdir()]
        assert {path.owner() for path in paths} == {"maru"}
    assert {path.owner() for path in (running.data / "secrets/postgres").iterdir()} == {"root"}


@only_as_root
def test_links_of_another_user_in_the_folder_for_ports_are_not_followed():
    # As one of two ordinary users, since root may do everything.
    user, port = 50_000 + os.getpid() % 10_000, free_ports(1)[0]
    folder = pathlib.Path(f"/tmp/maru-ports-{user}")
    place = pathlib.Path(tempfile.mkdtemp(prefix="maru-"))
    try:
        place.chmod(0o755)
        precious = place / "precious"
        precious.write_text("precious")
        os.chown(precious, user, user)
        folder.mkdir()
        os.chown(folder, user + 1, user + 1)
        (folder / str(port)).symlink_to(precious)
        script = "fail() { echo \"$*\"; exit 1; }\n" + (CHECKOUT / "deploy/lib/ports.sh").read_text() + f"\nclaim_ports {port} 1"
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        result = subprocess.run([*as_user, "bash", "-c", script], cwd="/", capture_output=True, text=True)
        assert precious.read_text() == "precious"
        assert result.returncode == 1 and "belongs to another user" in result.stdout, result.stderr
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(place)


def test_a_link_of_another_user_in_place_of_the_sockets_is_not_followed():
    place = pathlib.Path(tempfile.mkdtemp(prefix="maru-"))
    # Sockets of a folder with a long path are in /tmp.
    data = place / ("long" * 25)
    sockets = pathlib.Path(f"/tmp/maru-sockets-{hashlib.sha256(str(data).encode()).hexdigest()[:12]}")
    try:
        data.mkdir()
        precious = place / "precious"
        precious.mkdir()
        for each in (place, data, precious):
            each.chmod(0o755)
        before = precious.stat()
        sockets.symlink_to(precious)
        script = f"source {CHECKOUT}/deploy/lib.sh; data={data}; locate_cluster"
        result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True)
        assert result.returncode == 1 and f"{sockets} is a link" in result.stderr, result.stdout + result.stderr
        assert (precious.stat().st_mode, precious.stat().st_uid) == (before.st_mode, before.st_uid)
    finally:
        sockets.unlink(missing_ok=True)
        shutil.rmtree(place)


def test_the_log_of_a_running_process_stays_bounded(instance):
    instance.up()
    log = instance.data / "logs/chat-service.log"
    with open(log, "ab") as file:
        file.write(b"x" * 20_000_001)
    eventually(lambda: log.stat().st_size < 1000, 60)
    copy = log.with_suffix(".log.old")
    assert copy.stat().st_size > 20_000_000
    # A copy that cannot be made, as on a full disk, does not keep the log from being emptied.
    copy.unlink()
    copy.symlink_to(instance.data / "missing/copy")
    with open(log, "ab") as file:
        file.write(b"x" * 20_000_001)
    eventually(lambda: log.stat().st_size < 1000, 60)
    assert not copy.is_symlink()
    instance.down()
    # The process went on at the beginning of the file.
    assert b"drained" in log.read_bytes() and b"\0" not in log.read_bytes()


FULL_DISK = """
source "$1/deploy/lib.sh"
data=$2 services_port=1 internals_port=11 instances_port=21
mkdir -p "$data"/{run,logs,config,settings}
exec {instance_lock}>"$data/run/lock"
number_services
start_service payment-service
cp "$data/config/payment-service.conf" "$data/before"
kill -KILL "${process_ids[payment-service]}"
while is_running payment-service; do sleep 0.01; done
printf '%s\\n' 5 payment-service >"$data/run/roll"
# No byte can be written to a file, and none to the log of deploy/up.
trap '' XFSZ
ulimit -f 0
exec >/dev/full
restart_ended
# `|` is a pipe, which is no file.
{ is_running payment-service && echo 'it runs again'; } | cat >&2
before=${process_ids[payment-service]}
# A folder stands for a file that cannot be made, as on a disk without a free inode.
mkdir "$data/run/rolled"
roll
{ [[ ${process_ids[payment-service]} == "$before" && ! -e $data/run/rolling ]] && is_running payment-service && echo 'it stays'; } | cat >&2
kill -KILL "${process_ids[payment-service]}"
"""


def test_a_process_that_ends_while_the_disk_is_full_is_restarted_with_the_settings_that_it_had(tmp_path):
    program = tmp_path / "payment-service"
    program.write_text("#!/bin/sh\n[ $1 != --print-config ] || { echo 'public_address ='; exit; }\nexec sleep 60\n")
    program.chmod(0o755)
    command = ["bash", "-euo", "pipefail", "-c", FULL_DISK, "up", CHECKOUT, tmp_path / "data"]
    environment = {**os.environ, "MARU_PROGRAMS": str(tmp_path)}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patiently(60))
    assert result.returncode == 0 and "it runs again" in result.stderr, result.stderr
    # A roll cannot give it new settings, and leaves it as it is.
    assert "it stays" in result.stderr, result.stderr
    configuration = (tmp_path / "data/config/payment-service.conf").read_text()
    assert configuration == (tmp_path / "data/before").read_text() == "public_address = 127.0.0.1:5\n"


@pytest.mark.parametrize(("patience", "seconds"), [("3", "180"), ("1", "60"), ("", "60"), ("0.04", "60"), ("08", "60"), ("x", "60")])
def test_the_patience_of_tests_multiplies_the_time_of_a_start(patience, seconds):
    command = ["bash", "-euo", "pipefail", "-c", f"source {CHECKOUT}/deploy/lib.sh; patiently 60"]
    result = subprocess.run(command, env={**os.environ, "MARU_PATIENCE": patience}, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, seconds), result.stderr


def test_the_gateway_keeps_its_configuration_if_a_new_one_cannot_be_written(tmp_path):
    render = CHECKOUT / "deploy/nginx/render"
    assert subprocess.run([render, tmp_path]).returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.conf")}
    full = ["bash", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "bash", render, tmp_path]
    assert subprocess.run(full, capture_output=True).returncode != 0
    assert {path: path.read_bytes() for path in before} == before and len(before) > 15


@only_as_root
def test_files_of_an_instance_that_ran_as_root_change_their_owner(instance):
    picture = instance.data / "files/chat/a/b.png"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"a")
    instance.up()
    assert (picture.owner(), picture.parent.owner()) == ("maru", "maru")


@only_as_root
def test_the_services_run_as_root_if_their_user_cannot_reach_the_folder(instance):
    instance.folder.chmod(0o700)
    assert "the services run as root" in instance.up()
    assert owners(instance, "chat-service") == {"root"}


@only_as_root
def test_an_ordinary_user_can_run_it():
    user = pwd.getpwnam("nobody")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="maru-"))
    try:
        folder.chmod(0o755)
        for part in ("deploy", "docs", "Web", "Tests/Deploy"):
            shutil.copytree(CHECKOUT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        # Without them deploy/up would ask the package index, and wait for it where it is slow.
        if (CHECKOUT / ".build/viewers").exists():
            shutil.copytree(CHECKOUT / ".build/viewers", folder / ".build/viewers")
        as_nobody = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        with Instance(folder, [*as_nobody, "env", "HOME=/tmp"]) as instance:
            os.chown(instance.folder, user.pw_uid, user.pw_gid)
            instance.up()
            assert json.loads(instance.get("/v1/users/me"))["service"] == "auth-service"
            assert {owner(each) for each in instance.processes()} - {None} == {user.pw_name}
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("soft, hard, warns", [(1024, 2048, True), (1024, 16384, False)])
def test_processes_may_open_as_many_files_as_the_hard_limit_allows(soft, hard, warns):
    limited = ["bash", "-c", f'ulimit -Sn {soft}; ulimit -Hn {hard}; exec "$0" "$@"']
    with Instance(as_user=limited) as instance:
        output = instance.up()
        assert (f"can open only {hard} files" in output) == warns
        limits = pathlib.Path(f"/proc/{instance.process('chat-service')}/limits").read_text()
        assert re.search(rf"^Max open files +{hard} +{hard} ", limits, re.MULTILINE)
