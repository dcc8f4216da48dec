import Contract
import ServiceKit

/// The internal route for copies of users' data. Covers belong to workspaces, so there are no files.
struct ExportRoutes: Sendable {
    let store: ExportStore

    func register(in routes: inout InternalRoutes) { routes.add(ExportPageRequest.self, page) }

    func page(_ request: ExportPageRequest) async throws -> ExportPage {
        try await store.page(of: request.user, after: request.cursor)
    }
}
