/// The reason why a zip archive cannot be written as its caller asks.
public enum ZipError: Error, Hashable {
    /// The name is empty or too long.
    case invalidName
    /// The entry has 4 GiB or more and was not begun as a large one.
    case entryTooLarge
    case entryIsOpen
    case noEntryIsOpen
}
