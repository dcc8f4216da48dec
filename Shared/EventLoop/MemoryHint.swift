internal import CSystem

/// Where an object lies, so that the processor can be told to fetch it before it is needed.
///
/// For loops over thousands of sockets: they are in no cache, and waiting for the memory of each costs more
/// than all that is done with it. A hint keeps nothing alive, and one whose object has gone does no harm.
public struct MemoryHint: Sendable {
    private let address: UInt

    public init(_ object: AnyObject) { self.init(Unmanaged.passUnretained(object)) }

    init<Object: AnyObject>(_ object: Unmanaged<Object>) { address = UInt(bitPattern: object.toOpaque()) }

    /// Begins to fetch the first `count` bytes of the object, without waiting for them.
    public func fetch(_ count: Int) { cs_prefetch(UnsafeRawPointer(bitPattern: address), count) }
}
