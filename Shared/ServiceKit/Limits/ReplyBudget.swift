internal import Contract
internal import HTTP
internal import Synchronization
internal import Telemetry
internal import Wire

/// Limits the memory that replies take while slow clients do not read them: for each user, each address and the process.
///
/// Calls are refused while replies beyond a limit wait. A reply is counted when its client turns out to be slow, so the
/// limits can be exceeded by the calls that were admitted before: by about 80 KiB each.
final class ReplyBudget: Sendable {
    /// Bytes that may wait.
    struct Limits {
        let user, address, process: Int
    }

    private struct State {
        var users: [UserID: Int] = [:]
        var addresses: [String: Int] = [:]
    }

    private let limits: Limits
    /// Below this total no limit is reached.
    private let lowest: Int
    private let total = Atomic<Int>(0)
    private let state = Mutex(State())

    /// About the time in which a client on a slow network takes the waiting bytes.
    private static let refusal = Failure(
        .tooManyCalls, "Earlier replies have not been read yet.", retryAfter: .seconds(5))

    init(_ limits: Limits) {
        self.limits = limits
        lowest = min(limits.user, limits.address, limits.process)
    }

    /// Bytes of all replies that wait now.
    var waitingBytes: Int { total.load(ordering: .relaxed) }

    /// Throws while too many replies wait for the caller. At the limit of the process, callers without waiting replies are
    /// still admitted, up to twice the limit: slow readers do not lock others out.
    ///
    /// - Parameter user: nil for a call without a token.
    func admit(_ user: UserID?, at address: @autoclosure () -> String) throws(Failure) {
        let total = waitingBytes
        guard total >= lowest else { return }
        let group = AddressGroup.of(address())
        let (ofUser, ofAddress) = state.withLock { state in
            (user.flatMap { state.users[$0] } ?? 0, state.addresses[group] ?? 0)
        }
        let isProcessFull = total >= limits.process && (ofUser + ofAddress > 0 || total / 2 >= limits.process)
        guard ofUser < limits.user, ofAddress < limits.address, !isProcessFull else { throw Self.refusal }
    }

    /// The account for a reply to `user` at `address`.
    func account(of user: UserID?, at address: String) -> any ReplyAccount {
        Account(budget: self, user: user, address: AddressGroup.of(address))
    }

    private func change(_ user: UserID?, _ address: String, by bytes: Int) {
        total.wrappingAdd(bytes, ordering: .relaxed)
        state.withLock { state in
            if let user { state.users.add(bytes, to: user) }
            state.addresses.add(bytes, to: address)
        }
    }

    private final class Account: ReplyAccount {
        private let budget: ReplyBudget
        private let user: UserID?
        private let address: String

        init(budget: ReplyBudget, user: UserID?, address: String) {
            self.budget = budget
            self.user = user
            self.address = address
        }

        func waitingBytesChanged(by bytes: Int) { budget.change(user, address, by: bytes) }
    }
}

extension Dictionary where Value == Int {
    fileprivate mutating func add(_ bytes: Int, to key: Key) {
        let sum = self[key, default: 0] + bytes
        self[key] = sum == 0 ? nil : sum
    }
}

extension ReplyBudget: MetricsSource {
    func write(to page: inout MetricsPage) {
        page.begin("maru_reply_waiting_bytes", .gauge, "Bytes of replies that slow clients have not taken yet.")
        page.value(Double(waitingBytes))
    }
}
