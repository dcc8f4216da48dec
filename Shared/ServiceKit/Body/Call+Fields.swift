internal import Contract
internal import HTTP
internal import Wire

extension Call {
    /// Reads the whole body: a JSON object, a form, or multipart with files. An empty body has no fields.
    public func fields() async throws -> Fields {
        let type = request.headers.text(.contentType)?.lowercased() ?? ""
        if type.hasPrefix("multipart/form-data") { return try await multipartFields() }
        let body = try await request.body.collect(upTo: bodyLimit.text)
        if type.hasPrefix("application/x-www-form-urlencoded") { return try formFields(body) }
        return try jsonFields(body)
    }

    private func jsonFields(_ body: [UInt8]) throws -> Fields {
        if body.isEmpty { return Fields([:]) }
        guard let members = try JSONValue(parsing: body).members else {
            throw Failure(.invalidRequest, "The body must be a JSON object.", status: 400)
        }
        var values: [String: Fields.Value] = [:]
        for (name, value) in members {
            switch value.kind {
            case .string: values[name] = .text(value.string ?? "")
            case .null: values[name] = .null
            default: values[name] = .other(value)
            }
        }
        return Fields(values, unwrapsOptional: profile.unwrapsOptional)
    }

    private func formFields(_ body: [UInt8]) throws -> Fields {
        guard let form = QueryParameters(body[...]) else { throw Failure.invalid("The form is not valid.") }
        let values = Dictionary(form.all.map { ($0.name, Fields.Value.text($0.value)) }) { _, last in last }
        return Fields(values, unwrapsOptional: profile.unwrapsOptional)
    }
}
