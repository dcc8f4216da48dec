/// A value that can be written as one JSON value.
public protocol JSONWritable {
    /// Appends exactly one JSON value to `json`.
    func write(to json: inout JSONWriter)
}

extension String: JSONWritable {
    @inlinable
    public func write(to json: inout JSONWriter) { json.value(self) }
}

extension Bool: JSONWritable {
    @inlinable
    public func write(to json: inout JSONWriter) { json.value(self) }
}

extension Double: JSONWritable {
    @inlinable
    public func write(to json: inout JSONWriter) { json.value(self) }
}

extension Int: JSONWritable {
    @inlinable
    public func write(to json: inout JSONWriter) { json.value(self) }
}

extension Int64: JSONWritable {
    @inlinable
    public func write(to json: inout JSONWriter) { json.value(self) }
}

extension UInt64: JSONWritable {
    @inlinable
    public func write(to json: inout JSONWriter) { json.value(self) }
}

/// nil is written as `null`.
extension Optional: JSONWritable where Wrapped: JSONWritable {
    @inlinable
    public func write(to json: inout JSONWriter) {
        if let self { self.write(to: &json) } else { json.null() }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    @inlinable
    public func write(to json: inout JSONWriter) {
        json.array { json in
            for element in self { element.write(to: &json) }
        }
    }
}
