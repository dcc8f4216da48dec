/// The commands of a connection with shard channels that are not answered yet, in their order.
///
/// An error names no channel, so the order shows which channel was refused.
struct ReplyOrder {
    struct Request: Equatable {
        let channel: [UInt8]
        let isSubscribe: Bool
    }

    private var requests: [Request] = []
    private var head = 0

    /// The command that is answered next.
    var first: Request? { head < requests.count ? requests[head] : nil }

    mutating func append(_ request: Request) { requests.append(request) }

    mutating func removeFirst() {
        head += 1
        if head == requests.count {
            removeAll()
        } else if head >= 1024, head * 2 >= requests.count {
            requests.removeFirst(head)
            head = 0
        }
    }

    mutating func removeAll() {
        requests = []
        head = 0
    }
}
