internal import Contract
internal import Wire

/// What a `ProfileCache` knows: who is kept, who has changed since, and who is being asked for.
struct ProfileShelf {
    /// A question to auth-service, about any number of people, for whose answer any number of readers wait.
    struct Question: Hashable {
        let number: Int
        let answer: Task<[UserID: MemberView], any Error>
    }

    /// What there is of those who are looked for.
    struct Look {
        var fresh: [UserID: MemberView] = [:]
        /// The last known of those who are not fresh.
        var old: [UserID: MemberView] = [:]
        /// Those whose answer is on its way.
        var awaited: [Question: [UserID]] = [:]
        /// Those who are to be asked for.
        var missing: [UserID] = []
    }

    private struct Entry {
        var profile: AuthClient.Profile
        var fetchedAt: UInt64
        var isStale = false
    }

    private var entries: [UserID: Entry] = [:]
    private var asked: [UserID: Question] = [:]
    private var questionCount = 0
    /// Versions told of people who were not kept then: their profile may be on its way, and older.
    private var told: [UserID: Int64] = [:]
    /// Grows when hints may have been missed; entries fetched before are stale.
    private var validFrom: UInt64 = 0
    private let capacity: Int

    private static let toldLimit = 10_000

    /// - Parameter capacity: people kept at most.
    init(capacity: Int) { self.capacity = capacity }

    /// - Parameter oldest: what was fetched before, in monotonic nanoseconds, is too old.
    func look(for users: Set<UserID>, oldest: UInt64) -> Look {
        var look = Look()
        look.fresh.reserveCapacity(users.count)
        let oldest = max(validFrom, oldest)
        for user in users {
            if let entry = entries[user] {
                if !entry.isStale && entry.fetchedAt >= oldest {
                    look.fresh[user] = entry.profile.member
                    continue
                }
                look.old[user] = entry.profile.member
            }
            if let question = asked[user] {
                look.awaited[question, default: []].append(user)
            } else {
                look.missing.append(user)
            }
        }
        return look
    }

    /// Asks for people: whoever looks for one of them from now on waits for the answer.
    mutating func ask(
        for users: [UserID], _ begin: (_ number: Int) -> Task<[UserID: MemberView], any Error>
    ) -> Question {
        questionCount += 1
        let question = Question(number: questionCount, answer: begin(questionCount))
        for user in users { asked[user] = question }
        return question
    }

    /// What was answered, to a question that began at `askedAt`.
    mutating func keep(_ profiles: [AuthClient.Profile], askedAt: UInt64) {
        if entries.count + profiles.count > capacity { entries.removeAll(keepingCapacity: true) }
        for profile in profiles {
            let user = profile.member.id
            if let known = entries[user], known.profile.version > profile.version { continue }
            var entry = Entry(profile: profile, fetchedAt: askedAt)
            entry.isStale = told.removeValue(forKey: user).map { $0 > profile.version } ?? false
            entries[user] = entry
        }
    }

    /// A question has ended, answered or not.
    mutating func end(_ number: Int, for users: [UserID]) {
        for user in users where asked[user]?.number == number { asked[user] = nil }
    }

    /// A person's profile has a new version: an answer on its way may be older, and is no good for who comes now.
    mutating func changed(_ user: UserID, version: Int64) {
        asked[user] = nil
        if let known = entries[user] {
            if known.profile.version < version { entries[user]?.isStale = true }
        } else {
            if told.count >= Self.toldLimit { told.removeAll(keepingCapacity: true) }
            told[user] = version
        }
    }

    /// Changes may have been missed.
    mutating func forgetFreshness(now: UInt64) {
        validFrom = now
        asked = [:]
    }
}
