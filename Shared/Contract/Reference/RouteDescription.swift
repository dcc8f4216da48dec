public import HTTP

/// A route as the reference of the API describes it. Each service lists the descriptions of its routes in its folder
/// `Reference`; a test compares them with the routes that the service registers.
public struct RouteDescription: Sendable {
    /// The clients that have the route.
    public enum Audience: Sendable, Equatable {
        /// All client apps.
        case everyone
        /// Client apps of one generation; native apps have the routes of 2024-07.
        case generation(ClientProfile.Generation)
        /// Client apps of 2024-07 without native ones, which find another route at the path.
        case shippedJuly2024
        case native
        /// Callers without an API key.
        case keyless
    }

    /// A successful reply.
    public enum Reply: Sendable {
        /// An empty object.
        case done
        case json(Schema)
        /// A new entity: 201 for clients that know all statuses.
        case created(Schema)
        /// A file, whole or in part.
        case bytes
    }

    /// A body that the route reads.
    public enum Body: Sendable {
        case json([Schema.Member])
        /// Members as JSON or as parts, and files as parts alone.
        case multipart([Schema.Member])
        /// No body; the method usually has one.
        case none
    }

    /// A parameter beside those of the path.
    public struct Parameter: Sendable {
        let name: String
        let isHeader: Bool
        let isRequired: Bool
        let schema: Schema
        let text: String

        public static func query(
            _ name: String, _ schema: Schema, _ text: String, isRequired: Bool = false
        ) -> Parameter {
            Parameter(name: name, isHeader: false, isRequired: isRequired, schema: schema, text: text)
        }

        public static func header(_ name: String, _ text: String, isRequired: Bool = false) -> Parameter {
            Parameter(name: name, isHeader: true, isRequired: isRequired, schema: .text, text: text)
        }

        /// The place in a list, and the number of elements of a page.
        public static let page = [
            query("cursor", .text, "The `next` of the page before; without it the first page."),
            query("limit", .integer(1...200), "The elements of a page; 50 without it."),
        ]
    }

    public let audience: Audience
    public let method: Method
    public let template: String
    let summary: String
    let note: String
    /// Whether it needs no access token.
    public let isOpen: Bool
    let parameters: [Parameter]
    let body: Body
    let reply: Reply
    /// The errors beside those of every route.
    let errors: [ErrorCode]

    /// - Parameters:
    ///   - template: the path as the route table has it.
    ///   - summary: its effect, in a few words: "Lists your workspaces".
    ///   - note: allowed callers, limits and effects, in sentences.
    ///   - isOpen: whether it needs no access token.
    ///   - errors: those that only some routes have.
    public init(
        _ audience: Audience, _ method: Method, _ template: String, _ summary: String, note: String = "",
        isOpen: Bool = false, parameters: [Parameter] = [], body: Body = .none, reply: Reply = .done,
        errors: [ErrorCode] = []
    ) {
        self.audience = audience
        self.method = method
        self.template = template
        self.summary = summary
        self.note = note
        self.isOpen = isOpen
        self.parameters = parameters
        self.body = body
        self.reply = reply
        self.errors = errors
    }

    /// Whether clients of this form have the route.
    public func isFor(_ form: ClientProfile.Form) -> Bool {
        switch audience {
        case .everyone, .keyless: true
        case .generation(.january2024): form == .january2024
        case .generation(.july2024): form != .january2024
        case .shippedJuly2024: form == .july2024
        case .native: form == .native
        }
    }
}

/// The routes of one resource.
public struct RouteGroup: Sendable {
    let name: String
    let text: String
    public let routes: [RouteDescription]

    public init(_ name: String, _ text: String, _ routes: [RouteDescription]) {
        self.name = name
        self.text = text
        self.routes = routes
    }
}

extension [RouteDescription] {
    /// The routes of a folder of files, as `PublicRoutes.files` adds them.
    public static func files(of folder: String, _ readers: String, note: String = "") -> [RouteDescription] {
        [
            RouteDescription(
                .everyone, .get, "/v1/static/\(folder)/{name}", "Loads a file of `\(folder)`",
                note:
                    "\(readers) A file never changes. With `exp`, `user`, `sid` and `sig` of a signed URL it needs no key and no token. \(note)",
                parameters: [.query("size", .choice(["small", "medium"]), "A still preview of a picture.")],
                reply: .bytes, errors: [.notFound, .invalidRequest]),
            RouteDescription(
                .everyone, .post, "/v1/static/\(folder)/links", "Signs URLs of files of `\(folder)`",
                note: "For pages that load pictures without headers. Files that you may not read are left out.",
                body: .json([.has("paths", .list(.path, atMost: 100))]),
                reply: .json(
                    .object([
                        .has(
                            "links",
                            .list(
                                .object([
                                    .has("path", .path), .has("url", .text, "Follows the base URL and `/v1`."),
                                    .has("expiresAt", .time),
                                ])))
                    ])), errors: [.invalidRequest]),
        ]
    }
}
