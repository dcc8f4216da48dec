/// The options of the command line.
struct StandinOptions {
    var port: UInt16 = 8190
    /// The port of the mail server; 0 for a free one.
    var mailPort: UInt16 = 0
    /// The path of the key file for FCM's clients.
    var serviceAccountFile: String?

    /// Reads the arguments; nil if one is unknown or malformed.
    init?(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let name = rest.next() {
            guard let value = rest.next() else { return nil }
            switch name {
            case "--port":
                guard let number = UInt16(value) else { return nil }
                port = number
            case "--mail-port":
                guard let number = UInt16(value) else { return nil }
                mailPort = number
            case "--service-account": serviceAccountFile = value
            default: return nil
            }
        }
    }
}
