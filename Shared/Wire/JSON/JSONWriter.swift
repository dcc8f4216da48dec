/// Writes JSON straight to bytes, without a tree in between.
///
///     json.object { json in
///         json.field("room_id", room.id)
///         json.field("user") { json in json.object { json in json.field("nickname", user.nickname) } }
///         json.field("files", files)
///     }
///
/// It writes the commas itself and relies on its caller for the rest: in an object every value follows its key.
public struct JSONWriter: Sendable {
    /// The written bytes.
    public private(set) var output: ByteWriter
    @usableFromInline var needsComma = false

    public init(capacity: Int = 256) {
        output = ByteWriter(capacity: capacity)
    }

    public var bytes: [UInt8] { output.bytes }

    /// The bytes of one value.
    public static func bytes(capacity: Int = 256, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter(capacity: capacity)
        write(&json)
        return json.output.take()
    }

    /// Returns the bytes written so far and continues within the same arrays and objects: for a long text that is sent in
    /// pieces.
    public mutating func takeWritten() -> [UInt8] { output.take() }

    /// Returns the bytes and starts again, empty.
    public mutating func take() -> [UInt8] {
        needsComma = false
        return output.take()
    }

    /// Appends an object; `write` writes its members.
    @inlinable
    public mutating func object(_ write: (inout JSONWriter) -> Void) {
        beginObject()
        write(&self)
        endObject()
    }

    /// Appends an array; `write` writes its elements.
    @inlinable
    public mutating func array(_ write: (inout JSONWriter) -> Void) {
        beginArray()
        write(&self)
        endArray()
    }

    public mutating func beginObject() { begin(UInt8(ascii: "{")) }
    public mutating func endObject() { end(UInt8(ascii: "}")) }
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Appends a key that contains no character to escape.
    public mutating func key(_ key: StaticString) {
        key.withUTF8Buffer { key in
            assert(key.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
            output.append(atMost: key.count + 4) { output in
                if needsComma { output.append(UInt8(ascii: ",")) }
                output.append(UInt8(ascii: "\""))
                output.append(copying: key.span)
                output.append(UInt8(ascii: "\""))
                output.append(UInt8(ascii: ":"))
            }
        }
        needsComma = false
    }

    /// Appends a key that is known only at run time.
    public mutating func key(escaping key: String) {
        value(key)
        output.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Appends a key and its value.
    @inlinable
    public mutating func field(_ key: StaticString, _ value: some JSONWritable) {
        self.key(key)
        value.write(to: &self)
    }

    /// Appends a key and the value that `write` writes.
    @inlinable
    public mutating func field(_ key: StaticString, _ write: (inout JSONWriter) -> Void) {
        self.key(key)
        write(&self)
    }

    /// Appends a key and an object; `write` writes its members.
    @inlinable
    public mutating func object(_ key: StaticString, _ write: (inout JSONWriter) -> Void) {
        self.key(key)
        object(write)
    }

    /// Appends a key and an array; `write` writes its elements.
    @inlinable
    public mutating func array(_ key: StaticString, _ write: (inout JSONWriter) -> Void) {
        self.key(key)
        array(write)
    }

    /// Appends the bytes that the closure writes, which must be exactly one value.
    @inline(__always)
    mutating func scalar(_ write: (inout ByteWriter) -> Void) {
        if needsComma { output.append(UInt8(ascii: ",")) }
        write(&output)
        needsComma = true
    }

    private mutating func begin(_ bracket: UInt8) {
        if needsComma { output.append(UInt8(ascii: ",")) }
        output.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        output.append(bracket)
        needsComma = true
    }
}
