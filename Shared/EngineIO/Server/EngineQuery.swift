internal import HTTP
internal import Wire

/// The Engine.IO parameters in the query of a request.
struct EngineQuery {
    let transport: EngineTransport
    let session: String?
    private let revision: String?
    /// Whether the client cannot receive binary bodies; version 3 only.
    let wantsBase64: Bool

    init(_ request: Request) throws(EngineError) {
        guard let parameters = QueryParameters(request.query ?? []) else { throw .badRequest }
        guard let transport = parameters["transport"].flatMap(EngineTransport.init) else { throw .unknownTransport }
        // JSONP is for browsers of before 2012, and a script of another origin could read it.
        guard parameters["j"] == nil else { throw .unknownTransport }
        self.transport = transport
        session = parameters["sid"].flatMap { $0.isEmpty ? nil : $0 }
        revision = parameters["EIO"]
        wantsBase64 = parameters["b64"].map { !$0.isEmpty } ?? false
    }

    func version() throws(EngineError) -> EngineVersion {
        guard let version = revision.flatMap({ Int($0) }).flatMap(EngineVersion.init) else { throw .unsupportedVersion }
        return version
    }
}
