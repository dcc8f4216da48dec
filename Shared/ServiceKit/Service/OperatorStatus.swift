internal import Contract
internal import Glibc
internal import HTTP
internal import Postgres
internal import Redis
internal import Telemetry
internal import Wire

/// The state of an instance for operators: versions, clocks, stores, queues and migrations. Everything is asked for anew.
struct OperatorStatus: Sendable {
    let service: String
    let readiness: Readiness
    let connectionLimit: Int
    let subjects: StoreMetrics.Subjects

    private static let clock = Statement.read(
        "clock of postgres", "select (extract(epoch from clock_timestamp()) * 1000)::bigint")

    // MARK: Status

    /// The page with the state of this instance. A store that does not answer is shown as down.
    func report(_ call: InternalCall) async throws -> [UInt8] {
        let problems = await readiness.problems()
        let database = subjects.pools.first?.pool
        var (postgres, postgresClock): (PostgresState?, Int64?)
        if let database {
            postgres = try? await PostgresState.read(from: database)
            postgresClock = await offset { try await database.query(Self.clock).value(as: Int64.self) }
        }
        var memory: RedisMemory?
        if let redis = subjects.redis { memory = await RedisMemory.read(from: redis) }
        let redisClock = await offset {
            guard let parts = try await subjects.redis?.run(RedisCommand("TIME")).array, parts.count == 2,
                let seconds = parts[0].text.flatMap({ Int64($0) }), let micros = parts[1].text.flatMap({ Int64($0) })
            else { return nil }
            return seconds * 1000 + micros / 1000
        }
        let disk = subjects.filesFolder.flatMap(Self.disk)
        let redisMemory = memory
        return JSONWriter.bytes { json in
            json.object { json in
                json.field("service", service)
                json.field("host", HostName.own)
                json.field("version", Build.version)
                json.field("swift", Build.swift)
                json.field("state", problems.isEmpty ? "ready" : problems.joined(separator: ", "))
                json.field("now", Timestamp.now)
                json.field("connectionLimit", connectionLimit)
                json.field("openFileLimit", ConnectionBudget.openFiles)
                json.object("postgres") { json in
                    json.field("up", postgres != nil)
                    if let postgres {
                        json.field("connections", postgres.connections)
                        json.field("connectionLimit", postgres.connectionLimit)
                        json.field("bytes", postgres.bytes)
                    }
                    if let postgresClock { json.field("clockOffsetMilliseconds", postgresClock) }
                }
                json.object("redis") { json in
                    json.field("up", redisClock != nil)
                    if let redisMemory {
                        json.field("memory", Int64(redisMemory.used))
                        json.field("memoryLimit", Int64(redisMemory.limit))
                    }
                    if let redisClock { json.field("clockOffsetMilliseconds", redisClock) }
                }
                if let disk {
                    json.object("disk") { json in
                        json.field("freeBytes", disk.free)
                        json.field("sizeBytes", disk.size)
                    }
                }
            }
        }
    }

    /// How far another clock is ahead of this one at least, in milliseconds. It was read at some moment of the call, which may be slow.
    /// Nil without an answer.
    private func offset(_ other: () async throws -> Int64?) async -> Int64? {
        let before = Timestamp.now.milliseconds
        guard let theirs = try? await other() else { return nil }
        return theirs - min(max(theirs, before), Timestamp.now.milliseconds)
    }

    private static func disk(of folder: String) -> (free: Int64, size: Int64)? {
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return nil }
        let block = Int64(disk.f_frsize)
        return (Int64(disk.f_bavail) * block, Int64(disk.f_blocks) * block)
    }

    // MARK: Queues

    /// The page of waiting work: rows of queues in tables, and entries of streams that the service has not handled.
    func queues(_ call: InternalCall) async -> [UInt8] {
        var rows: [(name: String, length: QueueLength?)] = []
        for (name, length) in subjects.queues { rows.append((name, try? await length())) }
        var streams: [(name: String, group: RedisGroupState?)] = []
        for stream in subjects.streams {
            let groups = try? await subjects.redis?.groups(ofStream: stream)
            streams.append((stream.name, groups?.first { $0.name == service }))
        }
        let now = Timestamp.now
        return JSONWriter.bytes { json in
            json.object { json in
                json.field("service", service)
                json.array("queues") { json in
                    for (name, length) in rows {
                        json.object { json in
                            json.field("queue", name)
                            guard let length else { return json.field("error", "not readable") }
                            json.field("waiting", length.rows)
                            json.field("oldestSeconds", Int(length.age(now: now)))
                        }
                    }
                    for (name, group) in streams {
                        json.object { json in
                            json.field("queue", "stream \(name)")
                            guard let group else { return json.field("error", "no consumer group") }
                            json.field("waiting", (group.lag ?? 0) + group.pending)
                            json.field("underWay", group.pending)
                        }
                    }
                }
            }
        }
    }

    // MARK: Migrations

    /// The page with the migrations that the schema has, and the last one that this program knows.
    func migrations(_ call: InternalCall) async throws -> [UInt8] {
        var applied: [AppliedMigration] = []
        if let schema = subjects.schema, let database = subjects.pools.first?.pool {
            applied = try await database.appliedMigrations(of: schema.name)
        }
        let found = applied
        return JSONWriter.bytes(capacity: 4096) { json in
            json.object { json in
                json.field("service", service)
                json.field("schema", subjects.schema?.name ?? "")
                json.field("known", subjects.schema?.migrations.last?.number ?? 0)
                json.array("applied") { json in
                    for migration in found {
                        json.object { json in
                            json.field("number", migration.number)
                            json.field("name", migration.name)
                            json.field("appliedAt", Timestamp(milliseconds: migration.appliedAt))
                        }
                    }
                }
            }
        }
    }
}
