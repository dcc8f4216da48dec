/// The unread messages of the members of one room, kept in memory: the model that the service must equal.
///
/// Messages are numbered from 1. A mention of everybody is 0, and one of those present at the time is -1.
struct CountModel {
    struct Message {
        let author: Int64
        /// The root of its thread; nil for none.
        let root: Int?
        let isAside: Bool
        var mentions: [Int64]
        /// The members that were present, if the message mentions those.
        var here: Set<Int64>
        var isDeleted = false

        func names(_ user: Int64) -> Bool {
            mentions.contains(user) || mentions.contains(0) || mentions.contains(-1) && here.contains(user)
        }
    }

    struct Following {
        var isFollowing: Bool
        var readSeq: Int
    }

    struct Counts: Equatable {
        var unread = 0
        var mentions = 0
    }

    private(set) var messages: [Message] = []
    /// The users that each user has blocked: their messages count for nothing, and their mentions make nobody follow a thread.
    var blocked: [Int64: Set<Int64>] = [:]
    private var markers: [Int64: Int] = [:]
    private var followers: [Int: [Int64: Following]] = [:]
    /// Roots that have had a reply.
    private var threads: Set<Int> = []

    func message(_ seq: Int) -> Message { messages[seq - 1] }

    /// The root of the thread that a reply to this message joins; nil if it may not be replied to.
    func root(for seq: Int) -> Int? {
        let root = message(seq).root ?? seq
        return message(seq).isDeleted || message(root).isDeleted ? nil : root
    }

    // MARK: Operations

    mutating func send(
        by author: Int64, mentions: [Int64], present: Set<Int64>, root: Int? = nil, isAside: Bool = false
    ) {
        let seq = messages.count + 1
        messages.append(Message(author: author, root: root, isAside: isAside, mentions: mentions, here: present))
        guard let root else { return keepBlockers(among: mentions, from: seq) }
        if threads.insert(root).inserted {
            for user in message(root).mentions.filter({ $0 > 0 }) + [message(root).author] {
                if followers[root]?[user] == nil { set(user, root, Following(isFollowing: true, readSeq: root)) }
            }
        }
        set(author, root, Following(isFollowing: true, readSeq: max(followers[root]?[author]?.readSeq ?? 0, seq)))
        mention(mentions.filter { $0 != author && !isBlocked(author, by: $0) }, in: root, from: seq - 1)
    }

    /// A text that keeps the mention of those present keeps the members that it has reached, not those that are present now.
    mutating func edit(_ seq: Int, mentions: [Int64], present: Set<Int64>) {
        let earlier = message(seq)
        guard mentions != earlier.mentions else { return }
        if earlier.mentions.contains(-1) {
            let named = Set(earlier.mentions)
            messages[seq - 1].here = earlier.here.subtracting(named).union(named.intersection(present))
        } else {
            messages[seq - 1].here = present
        }
        messages[seq - 1].mentions = mentions
        let root = message(seq).root ?? seq
        // Before the first reply the thread has only those that have opened it.
        let named = mentions.filter { !isBlocked(earlier.author, by: $0) }
        mention(
            named.filter { threads.contains(root) || followers[root]?[$0] != nil }, in: root, from: max(root, seq - 1))
        if earlier.root == nil { keepBlockers(among: mentions, from: seq) }
    }

    mutating func delete(_ seq: Int) {
        messages[seq - 1].isDeleted = true
        messages[seq - 1].mentions = []
    }

    mutating func read(_ seq: Int, by user: Int64) { markers[user] = max(markers[user] ?? 0, seq) }

    mutating func readThread(_ root: Int, _ seq: Int, by user: Int64) {
        let end = min(max(seq, root), last(of: root))
        // Those that follow from the first reply on may open the thread before it.
        let willFollow = message(root).author == user || message(root).mentions.contains(user)
        let known = followers[root]?[user] ?? Following(isFollowing: !threads.contains(root) && willFollow, readSeq: 0)
        set(user, root, Following(isFollowing: known.isFollowing, readSeq: max(known.readSeq, end)))
    }

    mutating func follow(_ root: Int, _ isFollowing: Bool, by user: Int64) {
        if isFollowing, message(root).isDeleted { return }
        let known = followers[root]?[user]
        let isKept = known?.isFollowing == true || !isFollowing
        let readSeq = isKept ? known?.readSeq ?? last(of: root) : last(of: root)
        set(user, root, Following(isFollowing: isFollowing, readSeq: readSeq))
    }

    private mutating func mention(_ users: [Int64], in root: Int, from seq: Int) {
        for user in users where user > 0 {
            let known = followers[root]?[user]
            if known?.isFollowing == true { continue }
            set(user, root, Following(isFollowing: true, readSeq: max(known?.readSeq ?? 0, seq)))
        }
    }

    /// Members that a root mentions follow from its first reply on, but for those that have blocked its author.
    private mutating func keepBlockers(among users: [Int64], from root: Int) {
        for user in users where isBlocked(message(root).author, by: user) && followers[root]?[user] == nil {
            set(user, root, Following(isFollowing: false, readSeq: root))
        }
    }

    private mutating func set(_ user: Int64, _ root: Int, _ following: Following) {
        followers[root, default: [:]][user] = following
    }

    private func last(of root: Int) -> Int { replies(to: root).last ?? root }

    /// The replies that are not deleted.
    func replies(to root: Int) -> [Int] {
        messages.indices.map { $0 + 1 }.filter { message($0).root == root && !message($0).isDeleted }
    }

    // MARK: Counts

    private func marker(of user: Int64) -> Int {
        let own = messages.lastIndex { $0.author == user && !$0.isAside }.map { $0 + 1 } ?? 0
        return max(markers[user] ?? 0, own)
    }

    private func count(_ user: Int64, _ isCounted: (Message) -> Bool) -> Int {
        messages.dropFirst(marker(of: user)).count {
            $0.author != user && !$0.isDeleted && isShown($0, to: user) && isCounted($0)
        }
    }

    private func isShown(_ message: Message, to user: Int64) -> Bool { !isBlocked(message.author, by: user) }

    private func isBlocked(_ author: Int64, by user: Int64) -> Bool { blocked[user]?.contains(author) == true }

    /// The room for a native client.
    func room(_ user: Int64) -> Counts {
        Counts(
            unread: count(user) { !$0.isAside }, mentions: count(user) { !$0.isAside && $0.names(user) })
    }

    /// The unread messages of the room for a shipped app.
    func shipped(_ user: Int64) -> Int { count(user) { _ in true } }

    /// The followed threads with replies, by root.
    func threads(_ user: Int64) -> [Int: Counts] {
        var counts: [Int: Counts] = [:]
        for (root, users) in followers {
            guard let state = users[user], state.isFollowing, !replies(to: root).isEmpty else { continue }
            let unread = replies(to: root).filter {
                $0 > state.readSeq && message($0).isAside && isShown(message($0), to: user)
            }
            counts[root] = Counts(unread: unread.count, mentions: unread.count { message($0).names(user) })
        }
        return counts
    }

    func badge(_ user: Int64) -> Int { room(user).unread + threads(user).values.reduce(0) { $0 + $1.unread } }
}
