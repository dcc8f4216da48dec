internal import Wire

/// The part of a service in the reference of the API: its routes and its sockets.
public struct ServiceReference: Sendable {
    public let groups: [RouteGroup]
    private let namespaces: [NamespaceReference]

    /// - Parameters:
    ///   - groups: the routes, one group a resource.
    ///   - namespaces: those of sockets.
    public init(_ groups: [RouteGroup], namespaces: [NamespaceReference] = []) {
        self.groups = groups
        self.namespaces = namespaces
    }

    /// Every described route.
    public var routes: [RouteDescription] { groups.flatMap(\.routes) }

    /// A JSON object with the documents of the service. `deploy/lib/reference` joins those of all services.
    public var text: String {
        let bytes = JSONWriter.bytes(capacity: 1 << 18) { json in
            json.object { json in
                json.key("openapi")
                ReferenceDocument(groups).write(to: &json)
                json.key("asyncapi")
                namespaces.write(to: &json)
                json.array("errors") { json in for code in ErrorCode.allCases { code.writeGuide(to: &json) } }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ErrorCode {
    /// Writes the row of the guide to errors.
    fileprivate func writeGuide(to json: inout JSONWriter) {
        json.object { json in
            json.field("code", rawValue)
            json.field("status", status)
            json.field("legacyStatus", legacyStatus)
            json.field("cause", cause)
            json.field("cure", cure)
        }
    }
}
