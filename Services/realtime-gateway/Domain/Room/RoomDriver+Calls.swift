import Contract
import EventLoop
import ServiceKit
import Telemetry
import Wire

/// Calls to chat-service for messages and heads.
extension RoomDriver {
    /// The messages after a seq.
    struct Page {
        let messages: [RoomMessage]
        /// The seq up to which there are no others.
        let end: Int64
        /// The room's head.
        let head: Int64
    }

    func fetchHead() {
        Task.immediate(executorPreference: loop) { [self] in
            while !isClosed {
                // Nil if the room alone is out of reach.
                if let head = try? await context.openings.value(of: room) { return report(head) }
                for id in ids { putOff(id) }
                try? await loop.sleep(for: Self.pauseBeforeRetry)
            }
        }
    }

    /// The room cannot be read now. Returns whether the member leaves it until later: a `/me` socket resumes other rooms meanwhile.
    @discardableResult
    func putOff(_ id: MemberID) -> Bool {
        guard case .me(let socket)? = endpoint(id), socket.cannotResume(room, at: machine.roster[id]?.cursor) else {
            return false
        }
        shard.me.keep(pageSize: pageSize, of: room)
        return true
    }

    func compareHead() {
        Task.immediate(executorPreference: loop) { [self] in
            do {
                if let head = try await context.heads.head(of: room) { report(head) }
            } catch {
                compareHeadLater()
            }
        }
    }

    private func report(_ head: RoomHead) {
        handle { machine, actions in
            machine.revisionReported(head.rev, &actions)
            machine.headReported(head.seq, &actions)
        }
    }

    func compareHeadLater() {
        loop.schedule(after: Self.pauseBeforeRetry) { [weak self] in
            if let self, !isClosed { compareHead() }
        }
    }

    func backfill(after: Int64) {
        context.metrics.heals.increment()
        Task.immediate(executorPreference: loop) { [self] in
            do {
                let page = try await page(after: after)
                handle { $0.backfilled(page.messages, head: page.head, &$1) }
            } catch {
                handle { $0.backfillFailed(&$1) }
            }
        }
    }

    /// As many messages after a seq as are safe to ask for at once.
    func page(after: Int64) async throws -> Page {
        let size = pageSize
        do {
            let since = try await context.chat.events(of: room, after: after, limit: size)
            pageSize = min(Self.largestPage, 2 * pageSize)
            let messages = since.events.compactMap { event -> RoomMessage? in
                if case .message(let message) = event { message } else { nil }
            }
            // Nothing waits for messages after the room's head.
            let end = since.head > after ? since.end : .max
            return Page(messages: messages, end: end, head: since.head)
        } catch {
            // The page may have been larger than a reply may be.
            pageSize = max(1, size / 4)
            throw error
        }
    }
}
