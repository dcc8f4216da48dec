internal import CSystem

/// The address of an object, for prefetching its memory before it is used.
///
/// For loops over thousands of sockets: their objects are in no cache, and waiting for the memory of each costs more
/// than the work on it. A hint does not retain its object, and prefetching a freed object is harmless.
public struct MemoryHint: Sendable {
    private let address: UInt

    public init(_ object: AnyObject) { address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) }

    /// - Parameter object: the address of an object.
    public init(_ object: UnsafeMutableRawPointer) { address = UInt(bitPattern: object) }

    /// Starts loading the first `count` bytes of the object into the caches, without waiting for them.
    public func fetch(_ count: Int) { cs_prefetch(UnsafeRawPointer(bitPattern: address), count) }
}
