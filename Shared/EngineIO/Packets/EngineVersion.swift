/// A revision of the Engine.IO protocol: 4 is spoken by Socket.IO 3 and later, 3 by Socket.IO 1 and 2.
public enum EngineVersion: Int, Sendable {
    case v3 = 3
    case v4 = 4
}
