import Contract
import EventLoop
import ServiceKit
import Wire

/// The presence of a loop: tells the other loops of the users with `/me` sockets here, and tells the sockets here of the users
/// that they watch. All of it is memory of gateways and Redis.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop: the shard of the loop calls it, and its own tasks and timers
/// run on the loop.
final class PresenceHub: @unchecked Sendable {
    private let loop: EventLoop
    private let name: String
    private let store: OnlineStore
    private let visibility: PresenceVisibility
    private let times: OnlineStore.Times
    private let rechecks = ConcurrencyLimiter(8)
    private var table: PresenceTable
    private var devices: DevicePresence
    private var watchers: [MemberID: PresenceWatcher] = [:]
    private var isFlushing = false
    private var willReadAgain = false

    /// Changes meanwhile share a command.
    private static let tick = Duration.milliseconds(250)
    private static let firstPause = Duration.milliseconds(500)
    private static let longestPause = Duration.seconds(10)

    init(on loop: EventLoop, named name: String, _ context: MeContext) {
        self.loop = loop
        self.name = name
        store = context.online
        visibility = context.visibility
        times = context.presenceTimes
        table = PresenceTable(loopTimeout: times.loopTimeout)
        devices = DevicePresence(grace: times.grace, memory: times.loopTimeout * 2)
    }

    // MARK: The users here

    /// A socket has begun, or its user's state or settings have changed.
    func changed(_ socket: MeSocket) {
        devices.set(socket.id, of: socket.user, to: socket.own.presence)
        flushSoon()
    }

    func ended(_ socket: MeSocket) {
        devices.remove(socket.id, of: socket.user, now: EventLoop.preciseNow)
        if let watcher = watchers.removeValue(forKey: socket.id) { table.unwatch(watcher.visible, by: socket.id) }
        flushSoon()
    }

    private func flushSoon() {
        guard !isFlushing, devices.isWaiting else { return }
        isFlushing = true
        loop.schedule(after: Self.tick) { [self] in
            isFlushing = false
            let changes = devices.take(now: EventLoop.preciseNow)
            if !changes.isEmpty { store.write(changes, at: name, for: times.lifetime) }
            flushSoon()
        }
    }

    /// Redis may have lost everything, and the other loops may have missed changes of this one.
    func rewrite() { store.rewrite(devices.all + devices.gone, at: name, for: times.lifetime) }

    /// Renews the hash of this loop, from now on, and forgets dead loops.
    func keep() {
        Task.immediate(executorPreference: loop) { [self] in
            if await !store.renew(name, for: times.lifetime) { rewrite() }
            devices.forgetGone(now: EventLoop.preciseNow)
            tell(table.forgetSilent(now: EventLoop.preciseNow))
        }
        loop.schedule(after: times.renewal) { [weak self] in self?.keep() }
    }

    // MARK: Watching

    /// A client names the users that it watches from now on. It is told the state of each of them, and of changes. A user that
    /// it may not see looks offline.
    ///
    /// - Throws: if a service does not answer.
    func watch(_ users: Set<UserID>, by socket: MeSocket) async throws {
        let watcher = watchers[socket.id] ?? PresenceWatcher(socket)
        watchers[socket.id] = watcher
        watcher.question += 1
        watcher.asking = users
        let question = watcher.question
        var (changes, visible) = (0, Set<UserID>())
        repeat {
            changes = watcher.changes
            visible = try await visibility.visible(to: socket.user, among: users)
        } while changes != watcher.changes
        guard watcher.question == question, watchers[socket.id] === watcher else { return }
        watcher.asked = users
        watcher.asking = []
        watcher.feed.keep(only: users)
        await show(visible, to: watcher)
        guard watcher.question == question, watchers[socket.id] === watcher else { return }
        tell(Dictionary(uniqueKeysWithValues: users.map { ($0, shown($0, to: watcher)) }), to: watcher)
    }

    private func shown(_ user: UserID, to watcher: PresenceWatcher) -> PresenceState {
        watcher.visible.contains(user) ? table.state(of: user) : .offline
    }

    private func show(_ visible: Set<UserID>, to watcher: PresenceWatcher) async {
        table.unwatch(watcher.visible.subtracting(visible), by: watcher.socket.id)
        watcher.visible = visible
        let unknown = table.watch(visible, by: watcher.socket.id)
        if !unknown.isEmpty, await !read(unknown) { readAgain() }
    }

    private func read(_ users: [UserID]) async -> Bool {
        table.beginRead(users)
        let found = try? await store.states(of: users)
        tell(table.endRead(users, found, now: EventLoop.preciseNow))
        return found != nil
    }

    /// Reads all users again once every living loop has written its own.
    private func readAgain() {
        if willReadAgain { return }
        willReadAgain = true
        loop.schedule(after: times.renewal + .seconds(1)) { [weak self] in
            guard let self else { return }
            willReadAgain = false
            Task.immediate(executorPreference: loop) { [self] in
                if await !read(table.users) { readAgain() }
            }
        }
    }

    private func tell(_ changes: [PresenceTable.Change]) {
        for change in changes {
            for id in change.watchers {
                if let watcher = watchers[id] { tell([change.user: change.state], to: watcher) }
            }
        }
    }

    private func tell(_ states: [UserID: PresenceState], to watcher: PresenceWatcher) {
        guard let wait = watcher.feed.note(states, now: EventLoop.preciseNow) else { return }
        if wait > .zero { flush(watcher, after: wait) } else { loop.executeAtEndOfTurn { [self] in flush(watcher) } }
    }

    private func flush(_ watcher: PresenceWatcher, after wait: Duration) {
        loop.schedule(after: wait) { [weak self] in self?.flush(watcher) }
    }

    private func flush(_ watcher: PresenceWatcher) {
        guard !watcher.socket.isEnded else { return }
        let mustWait = watcher.socket.isSlow || !watcher.socket.isReady  // `ready` is the first event.
        guard let states = watcher.feed.take(now: EventLoop.preciseNow, isSlow: mustWait) else {
            return flush(watcher, after: PresenceFeed.retry)
        }
        if !states.isEmpty { watcher.socket.send(.presence(states)) }
    }

    // MARK: Hints

    func told(_ hint: PresenceHint) { tell(table.told(hint, now: EventLoop.preciseNow)) }

    func hearAgain() {
        table.hearAgain(now: EventLoop.preciseNow)
        if !table.users.isEmpty { readAgain() }
    }

    func hearNothing() { table.hearNothing() }

    /// A user has blocked another one, or ended the block.
    func blocksChanged(_ user: UserID, _ other: UserID) {
        for watcher in watchers.values {
            let own = watcher.socket.user
            guard own == user && watcher.names(other) || own == other && watcher.names(user) else { continue }
            let hidden = own == user ? other : user
            // It is hidden at once, and shown again if there is no block.
            if watcher.visible.remove(hidden) != nil {
                table.unwatch([hidden], by: watcher.socket.id)
                tell([hidden: .offline], to: watcher)
            }
            recheck(watcher)
        }
    }

    /// The members of a workspace have changed.
    ///
    /// - Parameters:
    ///   - user: the user that is concerned; nil if any may be.
    ///   - sockets: those of the workspace.
    func accessChanged(of user: UserID?, for sockets: [MeSocket]) {
        if let user {
            for watcher in watchers.values where watcher.isConcerned(by: user) { recheck(watcher) }
        } else {
            for socket in sockets { if let watcher = watchers[socket.id] { recheck(watcher) } }
        }
    }

    /// The members of a channel have changed.
    ///
    /// - Parameters:
    ///   - user: the user that is concerned; nil if any may be.
    ///   - guests: the sockets of guests of the channel's workspace. They see the people of their channels only.
    func channelChanged(of user: UserID?, for guests: [MeSocket]) {
        for socket in guests {
            guard let watcher = watchers[socket.id] else { continue }
            if user.map({ watcher.isConcerned(by: $0) }) ?? true { recheck(watcher) }
        }
    }

    /// Changes may have been missed.
    func accessUnknown() { for watcher in watchers.values { recheck(watcher) } }

    /// Asks again which users a watcher sees, once for all changes that come meanwhile.
    private func recheck(_ watcher: PresenceWatcher) {
        watcher.changes += 1
        if watcher.isRechecking { return }
        watcher.isRechecking = true
        Task.immediate(executorPreference: loop) { [self] in
            defer { watcher.isRechecking = false }
            var backoff = Backoff(first: Self.firstPause, limit: Self.longestPause)
            while watchers[watcher.socket.id] === watcher {
                do {
                    if try await check(watcher) { return }
                } catch {
                    try? await loop.sleep(for: backoff.next())
                }
            }
        }
    }

    /// Returns whether nothing has changed since it asked.
    private func check(_ watcher: PresenceWatcher) async throws -> Bool {
        let (asked, changes) = (watcher.asked, watcher.changes)
        let visible = try await rechecks.run {
            try await visibility.visible(to: watcher.socket.user, among: asked)
        }
        guard watchers[watcher.socket.id] === watcher, watcher.asked == asked, watcher.changes == changes else {
            return false
        }
        let changed = watcher.visible.symmetricDifference(visible)
        await show(visible, to: watcher)
        tell(Dictionary(uniqueKeysWithValues: changed.map { ($0, shown($0, to: watcher)) }), to: watcher)
        return watcher.changes == changes
    }
}
