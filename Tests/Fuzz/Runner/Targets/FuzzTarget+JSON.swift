import Wire

extension FuzzTarget {
    /// A JSON value is the same after it was written and read again.
    static let json = FuzzTarget { bytes in
        guard let value = try? JSONValue(parsing: bytes) else { return }
        let written = JSONWriter.bytes { copy(value, to: &$0) }
        guard let again = try? JSONValue(parsing: written) else { fatalError("JSON that was written cannot be read") }
        require(JSONWriter.bytes { copy(again, to: &$0) } == written, "what was written is not read back unchanged")
        require((try? JSONValue(parsing: value.text)) != nil, "the text of a value cannot be read")
    }

    /// Any text that is written as a JSON string is read back unchanged.
    static let jsonWriter = FuzzTarget { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let written = JSONWriter.bytes { json in
            json.object { json in
                json.key(escaping: text)
                json.value(text)
            }
        }
        let read = try? JSONValue(parsing: written)
        require(
            read?[named: text]?.string?.utf8.elementsEqual(text.utf8) == true, "a string is not read back unchanged")
    }

    private static func copy(_ value: JSONValue, to json: inout JSONWriter) {
        switch value.kind {
        case .null: json.null()
        case .bool: json.value(value.bool)
        case .number:
            if let integer = value.int { json.value(integer) } else { json.value(value.double) }
        case .string: json.value(value.string)
        case .array:
            json.array { json in
                for element in value.elements! { copy(element, to: &json) }
            }
        case .object:
            json.object { json in
                for (name, member) in value.members! {
                    require(value[named: name] != nil, "a member is not found")
                    json.key(escaping: name)
                    copy(member, to: &json)
                }
            }
        }
    }
}
