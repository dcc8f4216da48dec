import Contract
import EventLoop
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("The presence of watched users")
struct PresenceTableTests {
    private static let (mina, joon) = (UserID(1), UserID(2))
    private static let (first, second) = (MemberID(rawValue: 1), MemberID(rawValue: 2))
    private static let nanoseconds = UInt64(1_000_000_000)

    private static func hint(_ loop: String, _ user: UserID? = nil, _ state: PresenceState = .online) -> PresenceHint {
        PresenceHint(loop: loop, changes: user.map { [.init(user: $0, state: state)] } ?? [])
    }

    private static func table() -> PresenceTable {
        var table = PresenceTable(loopTimeout: .seconds(16))
        table.hearAgain(now: 0)
        return table
    }

    @Test("A user has the highest state of all devices on all gateways")
    func highest() {
        var table = Self.table()
        #expect(table.watch([Self.mina], by: Self.first) == [Self.mina])
        #expect(table.told(Self.hint("a", Self.mina, .away), now: 0).map(\.state) == [.away])
        #expect(table.told(Self.hint("b", Self.mina, .online), now: 0).map(\.state) == [.online])
        #expect(table.told(Self.hint("a", Self.mina, .offline), now: 0).isEmpty)
        #expect(table.told(Self.hint("b", Self.mina, .offline), now: 0).map(\.state) == [.offline])
    }

    @Test("Only watchers of a user get a change, and users without watchers are not kept")
    func watchers() {
        var table = Self.table()
        _ = table.watch([Self.mina], by: Self.first)
        _ = table.watch([Self.mina, Self.joon], by: Self.second)
        #expect(table.told(Self.hint("a", Self.joon), now: 0).map(\.watchers) == [[Self.second]])
        table.unwatch([Self.joon], by: Self.second)
        #expect(table.users == [Self.mina])
        #expect(table.told(Self.hint("a", Self.joon, .away), now: 0).isEmpty)
    }

    @Test("A change that arrived while a user was being read is not undone by the answer")
    func overtaken() {
        var table = Self.table()
        let unknown = table.watch([Self.mina], by: Self.first)
        table.beginRead(unknown)
        _ = table.told(Self.hint("a", Self.mina, .offline), now: 0)
        _ = table.told(Self.hint("b", Self.mina, .away), now: 0)
        let found = table.endRead(unknown, ["a": [Self.mina: .online]], now: 0)
        #expect(found.isEmpty && table.state(of: Self.mina) == .away)
        #expect(table.watch([Self.mina], by: Self.second).isEmpty, "it is known")
    }

    @Test("A loop that gives no sign of life is forgotten with its users, and one that does is not")
    func silence() {
        var table = Self.table()
        let users = table.watch([Self.mina, Self.joon], by: Self.first)
        table.beginRead(users)
        _ = table.endRead(users, ["dead": [Self.mina: .online], "live": [Self.joon: .online]], now: 0)
        _ = table.told(Self.hint("live"), now: 10 * Self.nanoseconds)
        #expect(table.forgetSilent(now: 16 * Self.nanoseconds).isEmpty)
        let gone = table.forgetSilent(now: 17 * Self.nanoseconds)
        #expect(gone == [.init(user: Self.mina, state: .offline, watchers: [Self.first])])
        #expect(table.state(of: Self.joon) == .online)
    }

    @Test("While no hints arrive no loop is taken for dead")
    func deaf() {
        var table = Self.table()
        _ = table.watch([Self.mina], by: Self.first)
        _ = table.told(Self.hint("a", Self.mina), now: 0)
        table.hearNothing()
        #expect(table.forgetSilent(now: 100 * Self.nanoseconds).isEmpty)
        table.hearAgain(now: 100 * Self.nanoseconds)
        #expect(table.forgetSilent(now: 110 * Self.nanoseconds).isEmpty)
        #expect(table.forgetSilent(now: 117 * Self.nanoseconds).count == 1)
    }

    @Test("A user stays online for a while after their last socket closes, and a return in that time is not sent")
    func grace() {
        var devices = DevicePresence(grace: .seconds(5))
        devices.set(Self.first, of: Self.mina, to: .online)
        #expect(devices.take(now: 0) == [.init(user: Self.mina, state: .online)])
        devices.remove(Self.first, of: Self.mina, now: 0)
        #expect(devices.take(now: 4 * Self.nanoseconds).isEmpty && devices.isWaiting)
        devices.set(Self.second, of: Self.mina, to: .online)
        #expect(devices.take(now: 6 * Self.nanoseconds).isEmpty && !devices.isWaiting)
        devices.remove(Self.second, of: Self.mina, now: 6 * Self.nanoseconds)
        #expect(devices.take(now: 11 * Self.nanoseconds) == [.init(user: Self.mina, state: .offline)])
        #expect(devices.all.isEmpty && !devices.isWaiting)
    }

    @Test(
        "R16: Users that were told offline are told once more after an interruption, until they are back or it is long ago"
    )
    func gone() {
        var devices = DevicePresence(grace: .zero, memory: .seconds(30))
        for (id, user) in [(Self.first, Self.mina), (Self.second, Self.joon)] { devices.set(id, of: user, to: .online) }
        _ = devices.take(now: 0)
        #expect(devices.gone.isEmpty)
        for (id, user) in [(Self.first, Self.mina), (Self.second, Self.joon)] { devices.remove(id, of: user, now: 0) }
        #expect(devices.take(now: Self.nanoseconds).count == 2)
        devices.set(Self.second, of: Self.joon, to: .away)
        _ = devices.take(now: 2 * Self.nanoseconds)
        #expect(devices.gone == [.init(user: Self.mina, state: .offline)])
        #expect(devices.all == [.init(user: Self.joon, state: .away)])
        devices.forgetGone(now: 30 * Self.nanoseconds)
        #expect(devices.gone.count == 1)
        devices.forgetGone(now: 31 * Self.nanoseconds)
        #expect(devices.gone.isEmpty)
    }

    @Test("A user is away only if all devices say so, and offline if presence is not shared")
    func away() {
        var devices = DevicePresence(grace: .zero)
        devices.set(Self.first, of: Self.mina, to: .away)
        devices.set(Self.second, of: Self.mina, to: .online)
        #expect(devices.take(now: 0).map(\.state) == [.online])
        devices.set(Self.second, of: Self.mina, to: .away)
        #expect(devices.take(now: 0).map(\.state) == [.away])
        for id in [Self.first, Self.second] { devices.set(id, of: Self.mina, to: .offline) }
        #expect(devices.take(now: 0).map(\.state) == [.offline])
    }

    @Test("A storm of 10,000 people coming online costs a watcher one event a second with the newest states")
    func storm() {
        var feed = PresenceFeed()
        var events: [[UserID: PresenceState]] = []
        var due: UInt64?
        // 10,000 people come and go within three seconds; the client watches 500 of them.
        for step in 0..<30_000 as Range<UInt64> {
            let now = step * 100_000
            if let at = due, now >= at {
                due = nil
                events.append(feed.take(now: at, isSlow: false) ?? [:])
            }
            let user = UserID(Int64(step % 10_000))
            guard user.rawValue < 500 else { continue }
            let state: PresenceState = step < 10_000 ? .online : step < 20_000 ? .away : .online
            if let wait = feed.note([user: state], now: now) { due = now + wait.wholeNanoseconds }
        }
        #expect(events.count <= 4)
        #expect(events.allSatisfy { $0.count <= 500 })
    }

    @Test("A slow client gets its waiting presence changes later, and only the newest of each user")
    func slow() {
        var feed = PresenceFeed()
        #expect(feed.note([Self.mina: .online], now: 0) == .zero)
        #expect(feed.take(now: 0, isSlow: true) == nil)
        #expect(feed.note([Self.mina: .offline, Self.joon: .away], now: 0) == nil, "it is scheduled")
        #expect(feed.take(now: Self.nanoseconds, isSlow: false) == [Self.mina: .offline, Self.joon: .away])
        #expect(feed.note([Self.mina: .online], now: Self.nanoseconds) == .seconds(1))
    }

    @Test("Badges are not counted while starts of sockets wait, unless that takes long")
    func startsWait() {
        var queue = BadgeQueue()
        var times = (0..<3 * BadgeQueue.mostDelays).map { _ in queue.isTime(startsWait: true) }
        #expect(times.indices.filter { times[$0] } == [BadgeQueue.mostDelays, 2 * BadgeQueue.mostDelays + 1])
        times = [queue.isTime(startsWait: false), queue.isTime(startsWait: true)]
        #expect(times == [true, false])
    }

    @Test("The badges of a room's users are counted once for many messages, a bounded number at a time")
    func badges() {
        var queue = BadgeQueue()
        for _ in 0..<100 { queue.add(RoomID(ChannelID(7))) }
        queue.add(Self.mina)
        var asked = 0
        let taken = queue.take(2) { _ in
            asked += 1
            return [Self.mina, Self.joon, UserID(3)]
        }
        #expect(taken.count == 2 && asked == 1 && !queue.isEmpty)
        #expect(Set(taken + queue.take(2) { _ in [] }) == [Self.mina, Self.joon, UserID(3)])
        #expect(queue.isEmpty)
    }
}
