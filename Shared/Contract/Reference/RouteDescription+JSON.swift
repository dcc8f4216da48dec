internal import HTTP
internal import Wire

extension RouteDescription {
    /// Writes the operation of an OpenAPI document.
    ///
    /// - Parameter hasLink: whether a signed URL opens it as well, without key and token.
    func write(to json: inout JSONWriter, for form: ClientProfile.Form, group: String, hasLink: Bool) {
        json.object { json in
            json.field("operationId", operation)
            json.field("tags", [group])
            json.field("summary", summary)
            if !note.isEmpty { json.field("description", note) }
            writeSecurity(to: &json, hasLink: hasLink)
            writeParameters(to: &json, for: form)
            writeBody(to: &json, for: form)
            json.object("responses") { json in
                writeReply(to: &json, for: form)
                writeFailures(to: &json, for: form)
            }
        }
    }

    private func writeSecurity(to json: inout JSONWriter, hasLink: Bool) {
        json.array("security") { json in
            if audience == .keyless || hasLink { json.object { _ in } }
            guard audience != .keyless else { return }
            json.object { json in
                json.array("key") { _ in }
                if !isOpen { json.array("token") { _ in } }
            }
        }
    }

    private func writeParameters(to json: inout JSONWriter, for form: ClientProfile.Form) {
        let names = template.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
        guard !names.isEmpty || !parameters.isEmpty else { return }
        json.array("parameters") { json in
            for name in names {
                json.object { json in
                    json.field("name", String(name))
                    json.field("in", "path")
                    json.field("required", true)
                    json.key("schema")
                    Self.schema(ofSegment: name).write(to: &json, for: .native)
                }
            }
            for parameter in parameters {
                json.object { json in
                    json.field("name", parameter.name)
                    json.field("in", parameter.isHeader ? "header" : "query")
                    json.field("description", parameter.text)
                    if parameter.isRequired { json.field("required", true) }
                    json.key("schema")
                    parameter.schema.write(to: &json, for: parameter.isHeader ? form : .native)
                }
            }
        }
    }

    /// The ids of a path are digits in every generation.
    private static func schema(ofSegment name: Substring) -> Schema {
        name == "id" || name.hasSuffix("_id") || name == "seq" ? .digits : .text
    }

    private func writeBody(to json: inout JSONWriter, for form: ClientProfile.Form) {
        let members: [Schema.Member]
        var types = ["application/json"]
        switch body {
        case .none: return
        case .json(let all): members = all
        case .multipart(let all):
            members = all
            let needsFile = all.contains { $0.isFile && $0.isRequired }
            types = (needsFile ? [] : types) + ["multipart/form-data"]
        }
        json.object("requestBody") { json in
            json.field("required", true)
            json.object("content") { json in
                for type in types {
                    json.key(escaping: type)
                    json.object { json in
                        json.key("schema")
                        Schema.object(type == "application/json" ? members.filter { !$0.isFile } : members)
                            .write(to: &json, for: form)
                    }
                }
            }
        }
    }

    private func writeReply(to json: inout JSONWriter, for form: ClientProfile.Form) {
        var (status, schema): (StaticString, Schema) = ("200", .object([]))
        switch reply {
        case .done: break
        case .json(let replied): schema = replied
        case .created(let made): (status, schema) = (form == .native ? "201" : "200", made)
        case .bytes:
            for (status, text): (StaticString, String) in [("200", "The file."), ("206", "A range of the file.")] {
                json.object(status) { json in
                    json.field("description", text)
                    json.object("content") { json in json.object("*/*") { _ in } }
                }
            }
            json.object("304") { $0.field("description", "The file of `If-None-Match`.") }
            return
        }
        json.object(status) { json in
            json.field("description", "Done.")
            json.object("content") { json in
                json.object("application/json") { json in
                    json.key("schema")
                    schema.write(to: &json, for: form)
                }
            }
        }
    }

    /// The name of the operation, such as `getWorkspacesByIdRole`.
    private var operation: String {
        var name = method.rawValue.lowercased()
        for segment in template.split(separator: "/").dropFirst() {
            if segment.hasPrefix("{") { name += "By" }
            for word in segment.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
                name += word.prefix(1).uppercased() + word.dropFirst()
            }
        }
        return name
    }

    /// The entities of body, parameters and reply.
    func entities(for form: ClientProfile.Form) -> [Schema.Entity] {
        var schemas = parameters.map(\.schema)
        switch body {
        case .json(let members), .multipart(let members): schemas.append(.object(members))
        case .none: break
        }
        switch reply {
        case .json(let schema), .created(let schema): schemas.append(schema)
        case .done, .bytes: break
        }
        return schemas.flatMap { $0.entities(for: form) }
    }
}

extension Schema.Member {
    /// Whether it is one file or several.
    fileprivate var isFile: Bool {
        switch schema {
        case .file, .list(.file, _): true
        default: false
        }
    }
}
