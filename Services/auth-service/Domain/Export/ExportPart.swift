import Contract
import ServiceKit
import Wire

/// The folders of an export: one for each service that holds data of users.
///
/// realtime-gateway has none: it holds pushes on their way, which are copies of messages for the devices that the export
/// lists.
enum ExportPart: String, Sendable, CaseIterable {
    case account, workspaces, chats, payments
}

/// The services that an export asks.
struct ExportSources: Sendable {
    let store: ExportStore
    let files: any FileStore
    let workspaces: ExportClient
    let chats: ExportClient
    let payments: ExportClient

    func page(_ part: ExportPart, of user: UserID, after cursor: String?) async throws -> ExportPage {
        switch part {
        case .account: try await store.tables.page(of: user, after: cursor)
        case .workspaces: try await workspaces.page(of: user, after: cursor)
        case .chats: try await chats.page(of: user, after: cursor)
        case .payments: try await payments.page(of: user, after: cursor)
        }
    }

    /// A piece of a file that a page of the part has named; nil if the file is gone.
    func piece(
        of name: String, in part: ExportPart, of user: UserID, from offset: Int64
    ) async throws -> ExportFilePiece? {
        switch part {
        case .account:
            do {
                return try await files.piece(for: ExportFileRequest(user: user, name: name, offset: offset))
            } catch let failure as Failure where failure.code == .notFound {
                return nil
            }
        case .workspaces: return try await workspaces.piece(of: name, of: user, from: offset)
        case .chats: return try await chats.piece(of: name, of: user, from: offset)
        case .payments: return try await payments.piece(of: name, of: user, from: offset)
        }
    }
}
