/// Why a request's body could not be read, or a reply's not be written, to the end.
public enum BodyError: Error, Equatable {
    /// More than the reader allows.
    case tooLarge
    /// It came too slowly.
    case timeout
    /// Its chunks are not in the form of RFC 9112.
    case malformed
    /// The peer has gone.
    case disconnected
    /// Somebody reads it already, or has read it.
    case alreadyRead
}
