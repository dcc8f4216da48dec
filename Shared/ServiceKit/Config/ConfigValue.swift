public import EventLoop
public import Telemetry

/// A type of settings, written and read as one line of text.
public protocol ConfigValue: Sendable {
    /// The name of the type in `--print-config`.
    static var typeName: String { get }
    /// Parses the text; nil if it is not of this type.
    init?(configText: String)
    /// The text that parses to the same value.
    var configText: String { get }
}

/// A type with text that must not be shown; a setting of it may name a file with the text.
public protocol SecretConfigValue: ConfigValue {}

/// Secret text; its description is dots.
public struct Secret: SecretConfigValue, CustomStringConvertible {
    /// The secret text; never print it.
    public let revealed: String

    public static let typeName = "secret"

    /// The empty text, the default of an optional secret.
    public static let none = Secret("")

    private init(_ text: String) { revealed = text }

    public init?(configText: String) { self.init(configText) }

    public var configText: String { revealed }

    public var description: String { "•••" }
}

extension String: ConfigValue {
    public static let typeName = "text"

    public init?(configText: String) { self = configText }

    public var configText: String { self }
}

extension LogLevel: ConfigValue {
    public static let typeName = "level"

    public init?(configText: String) { self.init(rawValue: configText) }

    public var configText: String { rawValue }
}

extension Int: ConfigValue {
    public static let typeName = "number"

    public init?(configText: String) { self.init(configText) }

    public var configText: String { String(self) }
}

extension Double: ConfigValue {
    public static let typeName = "decimal number"

    public init?(configText: String) { self.init(configText) }

    public var configText: String { String(self) }
}

extension Bool: ConfigValue {
    public static let typeName = "true or false"

    public init?(configText: String) { self.init(configText) }

    public var configText: String { String(self) }
}

/// A list of texts, separated by commas.
extension Array: ConfigValue where Element == String {
    public static var typeName: String { "list" }

    public init?(configText: String) {
        self = configText.split(separator: ",").map { String($0.trimmingSpaces) }.filter { !$0.isEmpty }
    }

    public var configText: String { joined(separator: ",") }
}

/// A duration such as `250ms`, `30s`, `5m`, `2h` or `30d`.
extension Duration: ConfigValue {
    public static let typeName = "duration"

    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    public init?(configText: String) {
        for (suffix, milliseconds) in Self.units where configText.hasSuffix(suffix) {
            guard let count = Int64(configText.dropLast(suffix.count)) else { continue }
            let (total, overflow) = count.multipliedReportingOverflow(by: milliseconds)
            guard count >= 0, !overflow else { return nil }
            self = .milliseconds(total)
            return
        }
        return nil
    }

    public var configText: String {
        let total = Int64(wholeNanoseconds / 1_000_000)
        let unit = Self.units.last { total % $0.milliseconds == 0 && total > 0 } ?? Self.units[0]
        return "\(total / unit.milliseconds)\(unit.suffix)"
    }
}

/// A number of bytes such as `512`, `64KB` or `10MB`, in powers of 1,024.
public struct ByteCount: ConfigValue, Equatable {
    /// The number of bytes.
    public let bytes: Int

    public static let typeName = "size"

    private static let units: [(suffix: String, bytes: Int)] = [("KB", 1 << 10), ("MB", 1 << 20), ("GB", 1 << 30)]

    /// A number of bytes.
    public init(_ bytes: Int) { self.bytes = bytes }

    public init?(configText: String) {
        let unit = Self.units.first { configText.hasSuffix($0.suffix) }
        let digits = configText.dropLast(unit?.suffix.count ?? 0)
        guard let count = Int(digits), count >= 0 else { return nil }
        let (total, overflow) = count.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        guard !overflow else { return nil }
        bytes = total
    }

    public var configText: String {
        let unit = Self.units.last { bytes > 0 && bytes % $0.bytes == 0 }
        return "\(bytes / (unit?.bytes ?? 1))\(unit?.suffix ?? "")"
    }
}

/// A numeric address and a port, such as `127.0.0.1:8101` or `[::]:8101`.
extension SocketAddress: ConfigValue {
    public static let typeName = "address:port"

    public init?(configText: String) {
        guard let colon = configText.lastIndex(of: ":"),
            let port = UInt16(configText[configText.index(after: colon)...])
        else { return nil }
        var host = configText[..<colon]
        if host.hasPrefix("[") && host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        self.init(ip: String(host), port: port)
    }

    public var configText: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// An address, or the empty text for none.
extension Optional: ConfigValue where Wrapped == SocketAddress {
    public static var typeName: String { "address:port or nothing" }

    public init?(configText: String) {
        if configText.isEmpty {
            self = .none
        } else {
            guard let address = SocketAddress(configText: configText) else { return nil }
            self = .some(address)
        }
    }

    public var configText: String { map(\.configText) ?? "" }
}

extension StringProtocol {
    /// The text without white space at both ends.
    var trimmingSpaces: SubSequence {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
