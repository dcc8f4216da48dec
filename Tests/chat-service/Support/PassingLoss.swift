import Postgres
import ServiceKit
import Synchronization

@testable import chat_service

/// The parts of an outbox, one of which is out of reach for the first read of each part alone, and for some of the reads of all parts.
final class PassingLoss: OutboxParts {
    private let finder: WorkspaceFinder
    private let lost: Set<Int64>
    private let isLost: @Sendable (_ jointRead: Int) -> Bool
    private let reads = Mutex((joint: 0, alone: 0))

    /// - Parameters:
    ///   - lost: the workspaces of the part.
    ///   - isLost: whether the part is out of reach for a read of all parts, by the number of that read from 1.
    init(finder: WorkspaceFinder, lost: Set<Int64>, isLost: @escaping @Sendable (_ jointRead: Int) -> Bool) {
        self.finder = finder
        self.lost = lost
        self.isLost = isLost
    }

    func attempt<Value: Sendable>(_ read: (PostgresTransaction) async throws -> Value) async throws -> Value? {
        let number = reads.withLock { reads in
            reads.joint += 1
            return reads.joint
        }
        return isLost(number) ? nil : try await finder.attempt(read)
    }

    func workspacesWithRows() async throws -> Set<Int64> { try await finder.workspacesWithRows() }

    func find<Value: Sendable>(
        among workspaces: Set<Int64>,
        _ read: @escaping @Sendable (PostgresTransaction, [Int64]) async throws -> [Value]
    ) async throws -> [Value] {
        let isFirst = reads.withLock { reads in
            reads.alone += 1
            return reads.alone == 1
        }
        return try await finder.find(among: isFirst ? workspaces.subtracting(lost) : workspaces, read)
    }
}
