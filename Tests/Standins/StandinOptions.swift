/// What the command line says.
struct StandinOptions {
    var port: UInt16 = 8190
    /// Where to put the key file that FCM's clients are to show.
    var serviceAccountFile: String?

    /// Nil where something is not understood.
    init?(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let name = rest.next() {
            guard let value = rest.next() else { return nil }
            switch name {
            case "--port":
                guard let number = UInt16(value) else { return nil }
                port = number
            case "--service-account": serviceAccountFile = value
            default: return nil
            }
        }
    }
}
