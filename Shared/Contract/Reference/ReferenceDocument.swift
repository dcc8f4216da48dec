internal import HTTP
internal import Wire

/// The part of a service in the reference of the API: its routes as OpenAPI documents, one for each form of clients.
/// `deploy/lib/reference` joins the parts of all services.
struct ReferenceDocument: Sendable {
    private let groups: [RouteGroup]

    init(_ groups: [RouteGroup]) { self.groups = groups }

    /// Appends an object with a document for each form.
    func write(to json: inout JSONWriter) {
        json.object { json in
            for form in ClientProfile.Form.allCases {
                json.key(escaping: form.documentName)
                writeDocument(to: &json, for: form)
            }
        }
    }

    private func writeDocument(to json: inout JSONWriter, for form: ClientProfile.Form) {
        let shown = groups.filter { group in group.routes.contains { $0.isFor(form) } }
        json.object { json in
            json.field("openapi", "3.1.0")
            json.object("info") { json in
                json.field("title", "Maru, \(form.documentName)")
                json.field("version", form.documentName)
                json.field("description", Self.introduction(of: form))
                json.object("license") { json in
                    json.field("name", "Apache 2.0")
                    json.field("identifier", "Apache-2.0")
                }
            }
            json.array("servers") { json in json.object { $0.field("url", "/") } }
            json.array("tags") { json in
                for group in shown {
                    json.object { json in
                        json.field("name", group.name)
                        json.field("description", group.text)
                    }
                }
            }
            json.object("paths") { json in writePaths(of: shown, to: &json, for: form) }
            json.object("components") { json in
                json.object("securitySchemes") { $0.securitySchemes() }
                json.object("schemas") { json in writeEntities(of: shown, to: &json, for: form) }
            }
        }
    }

    private func writePaths(of groups: [RouteGroup], to json: inout JSONWriter, for form: ClientProfile.Form) {
        let described = groups.flatMap { group in group.routes.filter { $0.isFor(form) }.map { (group.name, $0) } }
        var seen: Set<String> = []
        for (_, first) in described where seen.insert(first.template).inserted {
            json.key(escaping: first.template)
            json.object { json in
                for (group, route) in described where route.template == first.template {
                    json.key(escaping: route.method.rawValue.lowercased())
                    route.write(
                        to: &json, for: form, group: group,
                        hasLink: route.method == .get && route.template.hasPrefix("/v1/static/"))
                }
            }
        }
    }

    private func writeEntities(of groups: [RouteGroup], to json: inout JSONWriter, for form: ClientProfile.Form) {
        var seen: Set<String> = ["Failure"]
        json.key("Failure")
        json.failureSchema(for: form)
        for route in groups.flatMap(\.routes) where route.isFor(form) {
            for entity in route.entities(for: form) where seen.insert(entity.name).inserted {
                json.key(escaping: entity.name)
                entity.write(to: &json, for: form)
            }
        }
    }

    private static func introduction(of form: ClientProfile.Form) -> String {
        let clients =
            switch form {
            case .january2024:
                "The API of shipped apps of the first generation: ids are integers, and failures are 400 or 500."
            case .july2024:
                "The API of shipped apps of the second generation: ids are texts, and failures are 400 or 500."
            case .native: "The whole API, for new clients: true statuses, threads, reactions, search and much more."
            }
        return """
            \(clients)

            Each call carries an API key in `SesacKey`, and most an access token in `Authorization`. Clients ignore members \
            that they do not know, because the server may add some. The guides beside this page explain signing in, errors, \
            limits, pages of lists, files and sockets.
            """
    }
}

extension ClientProfile.Form {
    /// The name of the form in the reference.
    public var documentName: String {
        switch self {
        case .january2024: "2024-01"
        case .july2024: "2024-07"
        case .native: "native"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func securitySchemes() {
        scheme("key", in: "SesacKey", "The API key of the app. Development keys are in `deploy/clients.json`.")
        scheme("token", in: "Authorization", "The access token of a sign-in, with or without `Bearer` before it.")
    }

    private mutating func scheme(_ name: StaticString, in header: String, _ text: String) {
        object(name) { json in
            json.field("type", "apiKey")
            json.field("in", "header")
            json.field("name", header)
            json.field("description", text)
        }
    }
}
