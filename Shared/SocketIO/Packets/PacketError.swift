/// Why a client's message is not a valid packet; the connection ends.
enum PacketError: Error {
    case unknownType
    case badAttachments
    case badNamespace
    case badID
    case badPayload
    /// A text between attachments, or an attachment that was not announced.
    case outOfTurn
}
