import Contract
import Wire

/// Writes a room of a home screen.
struct RoomSummaryView: View {
    let summary: RoomSummary

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            let state = summary.state
            if let workspace = summary.workspace {
                json.field("room", state.room.description)
                json.field("workspace_id", workspace, for: profile)
            }
            if let channel = state.room.channel {
                json.field("channel_id", channel, for: profile)
                json.field("name", summary.name)
                if let last = summary.lastMessage {
                    json.field(
                        "lastMessage", ChatView(channel: channel, channelName: summary.name ?? "", message: last),
                        for: profile)
                }
            } else if let dm = state.room.dm {
                json.field("room_id", dm, for: profile)
                if let opponent = summary.opponent { json.field("user", opponent, for: profile) }
                if let last = summary.lastMessage {
                    json.field("lastMessage", DMView(room: dm, message: last), for: profile)
                }
            }
            if summary.isShortened { json.field("lastMessageShortened", true) }
            json.field("lastSeq", state.head.seq)
            if profile.isNative { json.field("rev", state.head.rev) }
            json.field("readSeq", state.readMarker)
            json.field("unreadCount", state.unread)
            if let own = summary.own {
                json.field("lastReadSeq", state.readMarker)
                json.field("mentionCount", state.mentions)
                json.ownState(own)
            }
        }
    }
}

extension JSONWriter {
    /// Appends the user's own state of a room: `notify`, `mutedUntil` while it is muted, `draft`, `draftsOmitted` and
    /// `threadDrafts`.
    fileprivate mutating func ownState(_ state: OwnRoomState) {
        field("notify", state.notify.level.text)
        if let until = state.notify.mutedUntil, state.notify.isMuted(at: .now) { field("mutedUntil", until) }
        if let draft = state.drafts.first, draft.thread == nil { object("draft") { $0.draft(draft) } }
        if state.omitsDrafts { field("draftsOmitted", true) }
        let threads = state.drafts.filter { $0.thread != nil }
        guard !threads.isEmpty else { return }
        array("threadDrafts") { json in
            for draft in threads { json.object { $0.draft(draft) } }
        }
    }

    private mutating func draft(_ draft: Draft) {
        if let thread = draft.thread { field("thread", thread) }
        field("content", draft.content)
        field("updatedAt", draft.updatedAt)
    }
}
