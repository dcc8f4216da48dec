internal import Wire

extension Schema {
    /// Writes the schema as JSON Schema (2020-12), as OpenAPI 3.1 and AsyncAPI 3 use it.
    func write(to json: inout JSONWriter, for form: ClientProfile.Form, text: String = "") {
        switch self {
        case .generations(let january2024, let july2024):
            (form == .january2024 ? january2024 : july2024).write(to: &json, for: form, text: text)
        case .optional(let schema):
            json.object { json in
                json.description(text)
                json.array("anyOf") { json in
                    schema.write(to: &json, for: form)
                    json.object { $0.field("type", "null") }
                }
            }
        default:
            json.object { json in
                json.description(text)
                writeMembers(to: &json, for: form)
            }
        }
    }

    private func writeMembers(to json: inout JSONWriter, for form: ClientProfile.Form) {
        switch self {
        case .id where form == .january2024: json.type("integer")
        case .id, .digits:
            json.type("string")
            json.field("pattern", "^[0-9]+$")
        case .text(let longest, let example):
            json.type("string")
            if let longest { json.field("maxLength", longest) }
            if let example { json.array("examples") { $0.value(example) } }
        case .integer(let range):
            json.type("integer")
            if let range {
                json.field("minimum", range.lowerBound)
                if range.upperBound != .max { json.field("maximum", range.upperBound) }
            }
        case .seconds:
            json.type("number")
            json.field("minimum", 0)
        case .flag: json.type("boolean")
        case .time:
            json.type("string")
            json.field("format", "date-time")
            json.field("pattern", #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#)
        case .path:
            json.type("string")
            json.field("pattern", "^/static/")
        case .choice(let texts):
            json.type("string")
            json.field("enum", texts)
        case .list(let element, let most):
            json.type("array")
            json.key("items")
            element.write(to: &json, for: form)
            if let most { json.field("maxItems", most) }
        case .object(let members): json.members(members, for: form)
        case .entity(let entity): json.field("$ref", "#/components/schemas/\(entity.name)")
        case .named(let name): json.field("$ref", "#/components/schemas/\(name)")
        case .either(let schemas):
            json.array("anyOf") { json in for each in schemas { each.write(to: &json, for: form) } }
        case .map(let value):
            json.type("object")
            json.key("additionalProperties")
            value.write(to: &json, for: form)
        case .anyObject:
            json.type("object")
            json.field("additionalProperties", true)
        case .file:
            json.type("string")
            json.field("contentMediaType", "application/octet-stream")
        case .optional, .generations: break
        }
    }

    /// The entities that the schema names, with those that they name.
    func entities(for form: ClientProfile.Form) -> [Entity] {
        switch self {
        case .entity(let entity):
            [entity] + entity.members.filter { $0.forms.contains(form) }.flatMap { $0.schema.entities(for: form) }
        case .object(let members):
            members.filter { $0.forms.contains(form) }.flatMap { $0.schema.entities(for: form) }
        case .list(let schema, _), .optional(let schema), .map(let schema): schema.entities(for: form)
        case .either(let schemas): schemas.flatMap { $0.entities(for: form) }
        case .generations(let january2024, let july2024):
            (form == .january2024 ? january2024 : july2024).entities(for: form)
        default: []
        }
    }
}

extension Schema.Entity {
    func write(to json: inout JSONWriter, for form: ClientProfile.Form) {
        json.object { json in
            json.description(text)
            json.members(members, for: form)
        }
    }
}

extension JSONWriter {
    mutating func description(_ text: String) { if !text.isEmpty { field("description", text) } }

    fileprivate mutating func type(_ name: String) { field("type", name) }

    fileprivate mutating func members(_ members: [Schema.Member], for form: ClientProfile.Form) {
        let shown = members.filter { $0.forms.contains(form) }
        type("object")
        object("properties") { json in
            for member in shown {
                json.key(escaping: member.name)
                let schema = member.isRequired ? member.schema : .optional(member.schema)
                schema.write(to: &json, for: form, text: member.text)
            }
        }
        let required = shown.filter(\.isRequired).map(\.name)
        if !required.isEmpty { field("required", required) }
    }
}
