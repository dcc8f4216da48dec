internal import Redis
public import Wire

/// Cursors are written again for a Redis that may have lost them, by each process the parts that it knows, in any order.
extension SessionCursors {
    /// After a return of Redis a cursor may be missing for so long, because a process has not written it again.
    private static let rewriteTime = Duration.seconds(2)

    private static let historyScript = RedisScript(
        """
        for _, field in ipairs({'seq', 'history'}) do
            local known = redis.call('HGET', KEYS[1], field)
            if not known or tonumber(ARGV[2]) > tonumber(known) then redis.call('HSET', KEYS[1], field, ARGV[2]) end
        end
        redis.call('EXPIRE', KEYS[1], ARGV[1])
        return 1
        """)
    static let releaseAgainScript = RedisScript(
        """
        local seq, history, live, joined, heard =
            unpack(redis.call('HMGET', KEYS[1], 'seq', 'history', 'live', 'joined', 'heard'))
        local own, ownHeard = tonumber(ARGV[5]), tonumber(ARGV[4])
        joined, heard = tonumber(joined or 0), tonumber(heard or 0)
        local isOther = live ~= ARGV[3]
        -- A newer socket is open, or has been and this one's client has not been heard since.
        if isOther and joined > (live and own or ownHeard) then return 0 end
        -- Messages that a half-open older socket was sent after this one's join do not count.
        if isOther and joined < own and heard <= own then
            seq = history
            live = false
        end
        if not seq or tonumber(ARGV[2]) > tonumber(seq) then seq = ARGV[2] end
        redis.call('HSET', KEYS[1], 'seq', seq)
        -- An older socket goes on if its client has been heard since.
        if not (live and isOther) then
            redis.call(
                'HSET', KEYS[1], 'joined', string.format('%.0f', math.max(joined, own)),
                'heard', string.format('%.0f', math.max(heard, ownHeard)))
            redis.call('HDEL', KEYS[1], 'live', 'from', 'end')
        end
        redis.call('EXPIRE', KEYS[1], ARGV[1])
        return 1
        """)

    /// The time until all processes have written again the parts of a cursor that Redis may have lost; nil if it is whole, as far as is known.
    ///
    /// - Parameter loop: the loop of the session's socket; its reservation counts.
    public func timeUntilWhole(_ session: SessionID, _ room: RoomID, loop: String? = nil) -> Duration? {
        let keys = [Self.key(session, room)] + (loop.map { [Self.reservationKey($0, room)] } ?? [])
        let times = keys.compactMap { redis.timeSinceReturn(of: $0) }
        return times.map { Self.rewriteTime - $0 }.filter { $0 > .zero }.max()
    }

    /// Writes parts of cursors again, which changes nothing if Redis has them, a limited number at a time.
    ///
    /// - Returns: whether all were written.
    public func rewrite(_ all: [Known]) async -> Bool {
        var isWritten = true
        let portion = redis.batchLimits.commands
        for start in stride(from: 0, to: all.count, by: portion) {
            var calls: [(script: RedisScript, calls: [ScriptCall])] = [
                (Self.claimScript, []), (Self.releaseAgainScript, []), (Self.raiseScript, []), (Self.historyScript, []),
            ]
            for known in all[start..<min(start + portion, all.count)] {
                switch known {
                case .socket(let record): calls[0].calls.append(call(record))
                case .release(let release): calls[1].calls.append(call(release))
                case .confirmed(let session, let room, let seq):
                    calls[2].calls.append(([Self.key(session, room)], [lifetime, seq]))
                case .history(let session, let room, let seq):
                    calls[3].calls.append(([Self.key(session, room)], [lifetime, seq]))
                }
            }
            for (script, calls) in calls {
                let outcomes = await redis.run(script, many: calls)
                isWritten = isWritten && outcomes.allSatisfy { if case .success = $0 { true } else { false } }
            }
        }
        return isWritten
    }

    typealias ScriptCall = (keys: [RedisKey], arguments: [any RedisArgument])

    /// The arguments of `claimScript`.
    func call(_ record: SocketRecord) -> ScriptCall {
        let (name, start) = (record.socket.name, record.socket.start ?? record.seq)
        let (joined, heard) = (record.socket.joined?.milliseconds ?? 0, record.heard.milliseconds)
        let end = record.socket.end.map { String($0) } ?? ""
        return ([Self.key(record.session, record.room)], [lifetime, record.seq, name, start, joined, end, heard])
    }

    /// The arguments of `releaseScript` and `releaseAgainScript`.
    func call(_ release: Release) -> ScriptCall {
        (
            [Self.key(release.session, release.room)],
            [lifetime, release.seq, release.name, release.heard.milliseconds, release.claimed?.milliseconds ?? 0]
        )
    }
}
