internal import CCurl
internal import EventLoop

/// A socket of curl's that the loop watches; curl opens and closes it.
final class ClientSocket: Channel, @unchecked Sendable {
    private unowned let client: ClientLoop

    init(_ descriptor: Int32, of client: ClientLoop) {
        self.client = client
        super.init(descriptor: descriptor)
    }

    override func ready(_ events: IOEvents) {
        var mask: Int32 = 0
        if !events.isDisjoint(with: [.readable, .readEnd]) { mask |= CURL_CSELECT_IN }
        if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if !events.isDisjoint(with: .failed) { mask |= CURL_CSELECT_ERR }
        client.act(on: descriptor, mask)
    }
}
