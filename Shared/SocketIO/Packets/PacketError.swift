/// Why what a client has sent is no packet; the connection ends.
enum PacketError: Error {
    case unknownType
    case badAttachments
    case badNamespace
    case badID
    case badPayload
    /// Text in the middle of attachments, or an attachment that nothing has announced.
    case outOfTurn
}
