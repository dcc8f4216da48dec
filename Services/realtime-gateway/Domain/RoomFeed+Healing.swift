import Contract
import EventLoop
import ServiceKit
import Telemetry
import Wire

/// How a room finds what it has missed.
extension RoomFeed {
    /// The messages behind a place.
    struct Page {
        let messages: [RoomMessage]
        /// The seq up to which there are no others.
        let end: Int64
        /// The newest seq of the room.
        let head: Int64
    }

    func askForHead() {
        Task.immediate(executorPreference: loop) { [self] in
            do {
                let head = try await outside.openings.value(of: room) ?? 0
                if isClosed { return }
                if present == nil { begin(at: head) } else { perform(tracker.compared(head: head)) }
            } catch {
                retryLater { $0.askForHead() }
            }
        }
    }

    private func begin(at head: Int64) {
        present = head
        let actions = tracker.start(at: head)
        for member in members.values {
            member.letIn(at: head)
            settle(member)
        }
        perform(actions)
    }

    /// Redis has been away: who may be here is asked anew before anything goes out, as a removal may have been missed.
    func verify() {
        verifications += 1
        let number = verifications
        Task.immediate(executorPreference: loop) { [self] in
            // A later one takes over.
            while number == verifications, !isClosed {
                do {
                    try await hub.verify(self)
                    guard number == verifications else { return }
                    verifications = 0
                    pass()
                } catch {
                    try? await loop.sleep(for: Self.pauseBeforeRetry)
                }
            }
        }
    }

    /// The head tells whether something was missed.
    func compare() {
        Task.immediate(executorPreference: loop) { [self] in
            do {
                if let head = try await outside.heads.head(of: room) { perform(tracker.compared(head: head)) }
            } catch {
                retryLater { $0.compare() }
            }
        }
    }

    func heal(_ after: Int64) {
        outside.metrics.heals.increment()
        Task.immediate(executorPreference: loop) { [self] in
            do {
                let page = try await page(after: after)
                perform(tracker.healed(page.messages, head: page.head))
            } catch {
                tracker.healingFailed()
                retryLater { $0.compare() }
            }
        }
    }

    /// Messages behind a place, as many as are safe to ask for at once.
    func page(after: Int64) async throws -> Page {
        let size = pageSize
        do {
            let since = try await outside.chat.events(of: room, after: after, limit: size)
            pageSize = min(Self.largestPage, 2 * pageSize)
            let messages = since.events.compactMap { event -> RoomMessage? in
                if case .message(let message) = event { message } else { nil }
            }
            // A room that has no more than that is not waited for.
            let end = since.head > after ? since.end : .max
            return Page(messages: messages, end: end, head: since.head)
        } catch {
            // It may have been more than a reply may hold.
            pageSize = max(1, size / 4)
            throw error
        }
    }

    private func retryLater(_ work: @escaping (RoomFeed) -> Void) {
        retry?.cancel()
        retry = loop.schedule(after: Self.pauseBeforeRetry) { [weak self] in
            if let self { work(self) }
        }
    }
}
