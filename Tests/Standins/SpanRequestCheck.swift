import Wire

/// Why a request is not OTLP.
struct EncodingFault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Checks an `ExportTraceServiceRequest` in the JSON encoding of OTLP 1: names of members, types, and the rules for ids and times.
/// A member that the encoding does not know is a fault, as it would be a misspelt one.
enum SpanRequestCheck {
    static func check(_ body: [UInt8]) throws(EncodingFault) {
        guard let json = try? JSONValue(parsing: body) else { throw EncodingFault("the body is not JSON") }
        try check(json, "request", ["resourceSpans"])
        for resource in try list(json, "resourceSpans") {
            try check(resource, "resourceSpans", ["resource", "scopeSpans", "schemaUrl"])
            try checkAttributes(resource["resource"], "resource", ["attributes", "droppedAttributesCount"])
            let names = resource["resource"]?["attributes"]?.elements?.filter { $0["key"]?.string == "service.name" }
            guard names?.count == 1 else { throw EncodingFault("a resource has no service.name") }
            for scope in try list(resource, "scopeSpans") {
                try check(scope, "scopeSpans", ["scope", "spans", "schemaUrl"])
                if let own = scope["scope"] { try check(own, "scope", ["name", "version", "attributes"]) }
                for span in try list(scope, "spans") { try checkSpan(span) }
            }
        }
    }

    private static func checkSpan(_ span: JSONValue) throws(EncodingFault) {
        try checkAttributes(
            span, "span",
            [
                "traceId", "spanId", "traceState", "parentSpanId", "flags", "name", "kind", "startTimeUnixNano",
                "endTimeUnixNano", "attributes", "droppedAttributesCount", "events", "droppedEventsCount", "links",
                "droppedLinksCount", "status",
            ])
        try checkIDs(of: span)
        if let parent = span["parentSpanId"] { try checkID(parent, 16) }
        guard span["name"]?.string?.isEmpty == false else { throw EncodingFault("a span has no name") }
        guard let kind = span["kind"]?.int, (1...5).contains(kind) else { throw EncodingFault("kind is not 1 to 5") }
        guard let start = try number(span, "startTimeUnixNano"), let end = try number(span, "endTimeUnixNano"),
            0 < start, start <= end
        else { throw EncodingFault("a span has no times, or ends before it starts") }
        for link in span["links"]?.array({ $0 }) ?? [] {
            try check(link, "link", ["traceId", "spanId", "traceState", "attributes", "flags"])
            try checkIDs(of: link)
        }
        if let status = span["status"] {
            try check(status, "status", ["code", "message"])
            guard let code = status["code"]?.int, (0...2).contains(code) else { throw EncodingFault("status.code") }
        }
    }

    private static func checkAttributes(
        _ owner: JSONValue?, _ name: String, _ members: Set<String>
    ) throws(EncodingFault) {
        guard let owner else { throw EncodingFault("\(name) is missing") }
        try check(owner, name, members)
        var keys: Set<String> = []
        for attribute in owner["attributes"]?.array({ $0 }) ?? [] {
            try check(attribute, "attribute", ["key", "value"])
            guard let key = attribute["key"]?.string, !key.isEmpty, keys.insert(key).inserted else {
                throw EncodingFault("a key of \(name) is empty or there twice")
            }
            guard let value = attribute["value"], let members = value.members, Array(members).count == 1 else {
                throw EncodingFault("\(key) has not one value")
            }
            if value["intValue"] != nil {
                _ = try number(value, "intValue")
            } else if value["stringValue"]?.string == nil {
                throw EncodingFault("\(key) has an unknown value")
            }
        }
    }

    // MARK: Scalars

    private static func checkIDs(of owner: JSONValue) throws(EncodingFault) {
        try checkID(owner["traceId"], 32)
        try checkID(owner["spanId"], 16)
    }

    /// An id is hexadecimal, unlike other bytes in JSON, and not zero.
    private static func checkID(_ value: JSONValue?, _ digits: Int) throws(EncodingFault) {
        guard let text = value?.string, text.utf8.count == digits, text.contains(where: { $0 != "0" }),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { throw EncodingFault("an id is not \(digits) hexadecimal digits") }
    }

    /// A number of 64 bits, which is a decimal text; nil if it is absent.
    private static func number(_ owner: JSONValue, _ name: StaticString) throws(EncodingFault) -> UInt64? {
        guard let value = owner[name] else { return nil }
        guard let text = value.string, let number = UInt64(text) else {
            throw EncodingFault("\(name) is not a decimal text")
        }
        return number
    }

    private static func list(_ owner: JSONValue, _ name: StaticString) throws(EncodingFault) -> [JSONValue] {
        guard let elements = owner[name]?.elements, case let list = Array(elements), !list.isEmpty else {
            throw EncodingFault("\(name) is not a list with elements")
        }
        return list
    }

    private static func check(_ value: JSONValue, _ name: String, _ known: Set<String>) throws(EncodingFault) {
        guard value.kind == .object, let members = value.members else { throw EncodingFault("\(name) is no object") }
        for member in members where !known.contains(member.name) {
            throw EncodingFault("\(name) has the unknown member \(member.name)")
        }
    }
}
