"""The rules of the architecture. Each takes sources and yields violations."""

import re

from sources import Violation, room

LONGEST_FILE = 250
MOST_STORED_VARIABLES = 12

# Each folder may name the types of the folders before it.
FOLDERS = {
    "Shared/ServiceKit": ["Config", "Traces", "Limits", "Events", "Access", "Caches", "Files", "Exports", "Web", "Body", "Service"],
    "Shared/HTTP": ["Values", "Parsing", "Routing", "Server", "Client", "Files"],
    "Shared/WebSocket": ["Values", "Headers", "Frames", "Deflate", "Handshake", "Machine", "Connection", "HTTP"],
}

# The folders of a service.
ROOMS = ("Reference", "Routes", "Domain", "Store", "Events", "Providers", "Migrations")

SQL = r"^\s*(?:select|with|insert into|update|delete from|lock table|truncate)\b"
# Types and calls of the module Redis that send commands.
REDIS_COMMANDS = r"\bRedisScript\b|\bRedisCommand\b|\bredis\??\.(?!observe\b|state\b|isConnected\b)\w+\s*\("
# Those that keep state in Redis or read it, rather than publish.
REDIS_STATE = r"\bRedisScript\b|\bredis\??\.(?:get|set|delete|post)\s*\("


def services_have_the_same_rooms(sources):
    """Each file of a service is in one of the known folders and follows its rules, or is beside them."""
    for source in sources:
        if room(source) not in ("", *ROOMS) and source.parts[0] == "Services":
            yield Violation(source.path, 1, f"a folder that services do not have: {room(source)}")


def domain_knows_no_routes(sources):
    """Domain types are independent of the form of replies and of the database's errors."""
    views = {}
    for source in sources:
        if room(source) == "Routes":
            for name in source.declared_types:
                views.setdefault(source.parts[1], set()).add(name)
    for source in sources:
        if room(source) != "Domain":
            continue
        routes = views.get(source.parts[1], set()) - source.declared_types
        for line, name in source.named_types():
            if name in routes:
                yield Violation(source.path, line, f"Domain names {name} of Routes")
            if name == "PostgresError":
                yield Violation(source.path, line, "Domain names PostgresError")


def sql_is_in_stores(sources):
    """SQL is in Store, and in ServiceKit's own stores."""
    for source in sources:
        if source.parts[0] == "Services" and room(source) not in ("Store", "Migrations"):
            for line, _ in source.matches(r"\bStatement\.(?:read|write)\("):
                yield Violation(source.path, line, "a statement outside Store")
            for line, match in source.matches(r'"""\s*\n(' + SQL + r")", source.uncommented):
                yield Violation(source.path, line, "SQL outside Store")


def statements_are_what_they_say(sources):
    """A statement that is declared as a read has none of the words of a write."""
    effects = r"\b(?:insert into|update|delete from|merge into|for share|for (?:no key )?update|nextval|set_config|pg_advisory)"
    for source in sources:
        call = r'Statement\.read\(\s*"[^"]*",\s*(?:unprepared:\s*)?("""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*")'
        for line, match in source.matches(call, source.uncommented):
            if re.search(effects, match[1], re.IGNORECASE):
                yield Violation(source.path, line, "a read with words of a write")


def redis_is_in_stores(sources):
    """State in Redis belongs to Store; Events only publish."""
    for source in sources:
        if source.parts[0] == "Services" and room(source) not in ("Store", ""):
            pattern = REDIS_STATE if room(source) == "Events" else REDIS_COMMANDS
            for line, match in source.matches(pattern):
                yield Violation(source.path, line, f"a Redis command outside Store: {match[0].strip()}")


def routes_know_no_database(sources):
    for source in sources:
        if room(source) == "Routes":
            for line, module in source.imports:
                if module == "Postgres":
                    yield Violation(source.path, line, "Routes import Postgres")


def pools_are_in_stores(sources):
    """The composition root builds a service's pool, and only stores have it."""
    for source in sources:
        if source.parts[0] == "Services" and room(source) != "Store" and source.parts[-1] != "App.swift":
            for line, name in source.named_types():
                if name == "PostgresPool":
                    yield Violation(source.path, line, "PostgresPool outside App.swift and Store")


def folders_point_one_way(sources, folders=FOLDERS):
    """The folders of a module name only types of the folders before them."""
    for module, order in folders.items():
        files = [source for source in sources if source.path.startswith(module + "/")]
        depth = module.count("/") + 1
        owner = {}
        for source in files:
            folder = source.parts[depth] if len(source.parts) > depth + 1 else ""
            if folder not in order:
                yield Violation(source.path, 1, f"a folder without a place in the order of {module}")
                continue
            for name in source.top_level_types:
                owner[name] = folder
        for source in files:
            folder = source.parts[depth]
            if folder not in order:
                continue
            for line, name in source.named_types():
                other = owner.get(name, folder)
                if order.index(other) > order.index(folder):
                    yield Violation(source.path, line, f"{folder} names {name} of {other}")


def modules_know_floors_below(package):
    """Each module of Shared depends only on modules of lower floors, or on earlier ones of its own floor."""
    floor, seen = -1, {}
    for number, line in enumerate(package.split("\n"), 1):
        heading = re.search(r"// Floor (\d+)", line)
        if heading:
            floor = int(heading[1])
        if re.search(r"// The services", line):
            return
        name = re.search(r'(?:module|library|target|systemLibrary)\(\s*(?:name: )?"(\w+)"', line)
        if not name and re.search(r"^\s*module\(\s*$", line):
            name = re.search(r'"(\w+)"', package.split("\n")[number])
        if name and floor >= 0:
            text = "\n".join(package.split("\n")[number - 1 : number + 3])
            on = re.search(rf'"{name[1]}",\s*on: \[([^\]]*)\]', text)
            for other in re.findall(r'"(\w+)"', on[1]) if on else []:
                if other not in seen:
                    yield Violation("Package.swift", number, f"{name[1]} depends on {other}, which is not below it")
                elif seen[other] > floor:
                    yield Violation("Package.swift", number, f"{name[1]} depends on {other} of a higher floor")
            seen[name[1]] = floor


def imports_are_declared(sources, package):
    """A module of Shared imports no module that Package.swift does not give it."""
    modules = set(re.findall(r'(?:module|library)\(\s*"(\w+)"', package))
    given = {}
    for match in re.finditer(r'module\(\s*"(\w+)",\s*on: \[([^\]]*)\]', package):
        given[match[1]] = set(re.findall(r'"(\w+)"', match[2]))
    for source in sources:
        if source.parts[0] != "Shared" or source.parts[1] not in given:
            continue
        for line, module in source.imports:
            if module in modules and module not in given[source.parts[1]]:
                yield Violation(source.path, line, f"{source.parts[1]} imports {module}")


def loops_are_given(sources):
    """Only the event loop's own module asks which loop runs on the calling thread; other code is given its loop."""
    for source in sources:
        if not source.path.startswith("Shared/EventLoop/"):
            for line, _ in source.matches(r"\bEventLoop\.current\b"):
                yield Violation(source.path, line, "asks for the current loop instead of being given one")


def audit_actions_are_written(sources):
    """A service names each action of the audit log."""
    named = "\n".join(source.code for source in sources if source.parts[0] == "Services")
    for source in sources:
        if source.parts[-1] == "AuditAction.swift":
            for line, match in source.matches(r"^    case (\w+) = "):
                if not re.search(rf"\.{match[1]}\b", named):
                    yield Violation(source.path, line, f"no service writes {match[1]} to the audit log")


def files_are_short(sources):
    for source in sources:
        lines = source.text.count("\n")
        if lines > LONGEST_FILE:
            yield Violation(source.path, lines, f"{lines} lines, more than {LONGEST_FILE}")


def types_are_small(sources):
    """No type of a service has too many stored variables, counted textually."""
    for source in sources:
        if source.parts[0] == "Services":
            for line, name, count in stored_variables(source):
                if count > MOST_STORED_VARIABLES:
                    yield Violation(
                        source.path, line, f"{name} has {count} stored variables, more than {MOST_STORED_VARIABLES}")


def stored_variables(source):
    """The line, the name and the number of stored instance variables of each type that the file declares."""
    declaration = r"^\s*(?:(?:public|package|internal|fileprivate|private|final|indirect) )*(?:struct|class|actor) (\w+)"
    variable = (
        r"^\s*(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|internal|fileprivate|private|unowned|weak|lazy|nonisolated)"
        r"(?:\(\w+\))? )*(?:let|var) (.*)$")
    open_types, depth = [], 0
    for number, line in enumerate(source.code.split("\n"), 1):
        type_name = re.match(declaration, line)
        if type_name and "{" in line:
            open_types.append([number, type_name[1], 0, depth + 1])
        elif open_types and depth == open_types[-1][3]:
            match = re.match(variable, line)
            if match:
                open_types[-1][2] += _stored(match[1])
        depth += line.count("{") - line.count("}")
        while open_types and depth < open_types[-1][3]:
            yield tuple(open_types.pop()[:3])


def _stored(declaration):
    """How many variables a declaration stores: none if it is computed."""
    brace = declaration.find("{")
    if brace >= 0 and "=" not in declaration[:brace] and not re.match(r"\s*(?:didSet|willSet)\b", declaration[brace + 1 :]):
        return 0
    if declaration.startswith("("):
        return declaration[: declaration.find(")")].count(",") + 1
    names = declaration.split("=")[0]
    return len(re.findall(r"(?:^|,)\s*\w+(?=\s*(?:[:,]|$))", re.sub(r":\s*[^,]*[<(\[].*", ":", names))) or 1


# Migrations from before times were milliseconds; later ones change their columns.
OLD_TIMES = {
    "Services/auth-service/Migrations/0005_portraits.sql",
    "Services/workspace-service/Migrations/0003_covers.sql",
    *(f"Services/payment-service/Migrations/000{name}.sql"
      for name in ("1_ledger", "2_reserve", "3_payment", "4_reconciliation")),
}


def times_are_milliseconds(migrations):
    """Every time in a schema is a bigint: milliseconds since 1970."""
    for source in migrations:
        if source.path not in OLD_TIMES:
            for number, line in enumerate(source.text.split("\n"), 1):
                if re.search(r"\btimestamp", line.split("--")[0], re.IGNORECASE):
                    yield Violation(source.path, number, "a time that is not a bigint of milliseconds")


# Changes that take something from the version before. `drop index` and `drop constraint` do not.
BREAKING = re.compile(
    r"\b(drop\s+(?:table|column|view|function)|rename\s+(?:to|column)|alter\s+column\s+\w+\s+(?:set\s+data\s+)?type"
    r"|set\s+not\s+null)\b", re.IGNORECASE)


def migrations_keep_the_version_before_working(migrations):
    """Instances are replaced one by one, so the version before runs on the new schema for a while."""
    for source in migrations:
        # The conversion of times came before the first release.
        if not source.path.endswith("/0006_times.sql"):
            for number, line in enumerate(source.text.split("\n"), 1):
                for word in BREAKING.findall(line.split("--")[0]):
                    yield Violation(source.path, number, f"the version before may need what this changes: {word}")
