import Glibc
import TestSupport

/// A thread that a test can join.
final class BackgroundThread {
    private var thread = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Body(body))
        pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
    }

    func join() { pthread_join(thread, nil) }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

extension Client {
    /// Sends on its own thread and counts the bytes that the server takes.
    func sendInBackground(_ bytes: [UInt8], counting sent: Counter) -> BackgroundThread {
        let connection = connection
        return BackgroundThread {
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(50_000))
                guard (try? connection.send(piece)) != nil else { return }
                sent.add(piece.count)
                rest = rest.dropFirst(piece.count)
            }
        }
    }

    /// Sends `text` and then filler, a byte at a time, until the server takes no more.
    func drip(_ text: String, every microseconds: UInt32) -> BackgroundThread {
        let connection = connection
        return BackgroundThread {
            for byte in Array(text.utf8) + [UInt8](repeating: 65, count: 1000) {
                guard (try? connection.send([byte])) != nil else { return }
                usleep(microseconds)
            }
        }
    }
}
