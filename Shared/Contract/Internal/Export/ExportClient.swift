public import Wire

/// The part of a service's internal API that gives users copies of their data. Services that hold data of users have it.
public struct ExportClient: Sendable {
    private let client: InternalClient

    public init(_ client: InternalClient) { self.client = client }

    /// A page of the service's data about a user.
    public func page(of user: UserID, after cursor: String?) async throws -> ExportPage {
        try await client.send(ExportPageRequest(user: user, cursor: cursor))
    }

    /// A piece of a file that a page has named; nil if the file is gone.
    public func piece(of name: String, of user: UserID, from offset: Int64) async throws -> ExportFilePiece? {
        do {
            return try await client.send(ExportFileRequest(user: user, name: name, offset: offset))
        } catch let failure as Failure where failure.code == .notFound {
            return nil
        }
    }
}
