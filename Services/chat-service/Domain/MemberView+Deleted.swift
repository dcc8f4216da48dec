import Contract
import Wire

extension MemberView {
    /// Stands for an author with a deleted account.
    static func deleted(_ id: UserID) -> MemberView {
        MemberView(id: id, email: "", nickname: "(알 수 없음)", profileImage: nil)
    }
}
