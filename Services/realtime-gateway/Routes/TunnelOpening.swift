import EventLoop
import HTTP

/// Reads the head of the owner's reply to a handshake, and leaves the following bytes to the next handler.
///
/// - Note: Confined to its socket's loop.
final class TunnelOpening: StreamHandler {
    private var isSettled = false
    private var reply: ReplyParser.Head?
    private var waiter: CheckedContinuation<ReplyParser.Head?, Never>?
    private var deadline: LoopTimer?

    init(timeout: Duration, on socket: StreamSocket) {
        deadline = socket.loop.schedule(after: timeout) { [weak self] in self?.settle(nil) }
    }

    /// The head; nil where none comes.
    func head() async -> ReplyParser.Head? {
        if isSettled { return reply }
        return await withCheckedContinuation { waiter = $0 }
    }

    func received(_ new: RawSpan) -> Int {
        guard !isSettled else { return 0 }
        do {
            guard let head = try ReplyParser.parse(new) else { return 0 }
            settle(head)
            return head.length
        } catch {
            settle(nil)
            return 0
        }
    }

    func endOfInput() { settle(nil) }
    func drained() {}
    func closed(_ end: StreamSocket.End) { settle(nil) }

    private func settle(_ head: ReplyParser.Head?) {
        guard !isSettled else { return }
        isSettled = true
        reply = head
        deadline?.cancel()
        waiter?.resume(returning: head)
        waiter = nil
    }
}
