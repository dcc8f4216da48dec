import Contract
import ServiceKit

/// The internal routes for copies of users' data.
struct ExportRoutes: Sendable {
    let exports: Exports
    let files: any FileStore

    func register(in routes: inout InternalRoutes) {
        routes.add(ExportPageRequest.self, page)
        routes.add(ExportFileRequest.self, file)
    }

    func page(_ request: ExportPageRequest) async throws -> ExportPage {
        try await exports.page(of: request.user, after: request.cursor)
    }

    func file(_ request: ExportFileRequest) async throws -> ExportFilePiece {
        guard try await exports.store.isFile(request.name, of: request.user) else { throw Failure.notFound }
        return try await files.piece(for: request)
    }
}
