internal import Wire

extension [NamespaceReference] {
    /// Appends an object with the channels, operations and messages of an AsyncAPI document, for each form.
    func write(to json: inout JSONWriter) {
        json.object { json in
            for form in ClientProfile.Form.allCases {
                let shown = filter { $0.forms.contains(form) }
                json.key(escaping: form.documentName)
                json.object { json in
                    json.object("channels") { json in for each in shown { each.writeChannel(to: &json, for: form) } }
                    json.object("operations") { json in for each in shown { each.writeOperations(to: &json) } }
                    json.object("components") { json in
                        json.object("schemas") { json in writeEntities(of: shown, to: &json, for: form) }
                    }
                }
            }
        }
    }

    private func writeEntities(of shown: [NamespaceReference], to json: inout JSONWriter, for form: ClientProfile.Form)
    {
        var seen: Set<String> = []
        for schema in shown.flatMap(\.events).flatMap({ [$0.argument, $0.reply ?? .flag] }) {
            for entity in schema.entities(for: form) where seen.insert(entity.name).inserted {
                json.key(escaping: entity.name)
                entity.write(to: &json, for: form)
            }
        }
    }
}

extension NamespaceReference {
    /// The acknowledgement of a refused event.
    private static let refusal = Schema.object([
        .has("errorCode", .choice(ErrorCode.allCases.map(\.rawValue))), .has("detail", .text),
        .may("retryAfter", .seconds, "When to ask again."),
    ])

    fileprivate func writeChannel(to json: inout JSONWriter, for form: ClientProfile.Form) {
        json.key(escaping: name)
        json.object { json in
            json.field("address", address)
            json.field("title", address)
            json.field("description", text)
            let parameters = address.split(separator: "{").dropFirst().map { $0.prefix { $0 != "}" } }
            if !parameters.isEmpty {
                json.object("parameters") { json in
                    for parameter in parameters {
                        json.key(escaping: String(parameter))
                        json.object { $0.field("description", "The id of the room.") }
                    }
                }
            }
            json.object("messages") { json in
                for event in events {
                    json.key(escaping: event.message)
                    json.message(event.name, event.text, event.argument, for: form)
                    guard let reply = event.reply else { continue }
                    json.key(escaping: event.name + "Reply")
                    json.message(
                        "acknowledgement of \(event.name)", "The result, or why it was refused.",
                        .either([reply, Self.refusal]), for: form)
                }
            }
        }
    }

    fileprivate func writeOperations(to json: inout JSONWriter) {
        for event in events {
            json.key(escaping: name + "-" + event.message)
            json.object { json in
                // AsyncAPI describes the server: it sends, and clients receive.
                json.field("action", event.reply == nil ? "send" : "receive")
                json.object("channel") { $0.field("$ref", "#/channels/\(name)") }
                json.field("title", event.name)
                json.field("summary", event.text)
                json.references("messages", to: event.message, of: name)
                guard event.reply != nil else { return }
                json.object("reply") { json in
                    json.object("channel") { $0.field("$ref", "#/channels/\(name)") }
                    json.references("messages", to: event.name + "Reply", of: name)
                }
            }
        }
    }
}

extension NamespaceReference.Event {
    /// The key of the message. Events of both directions can have one name.
    fileprivate var message: String { reply == nil ? name : name + "Call" }
}

extension JSONWriter {
    fileprivate mutating func message(_ name: String, _ text: String, _ schema: Schema, for form: ClientProfile.Form) {
        object { json in
            json.field("name", name)
            json.field("title", name)
            json.field("summary", text)
            json.field("contentType", "application/json")
            json.key("payload")
            schema.write(to: &json, for: form)
        }
    }

    fileprivate mutating func references(_ key: StaticString, to message: String, of channel: String) {
        array(key) { json in json.object { $0.field("$ref", "#/channels/\(channel)/messages/\(message)") } }
    }
}
