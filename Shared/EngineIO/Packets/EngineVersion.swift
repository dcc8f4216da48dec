/// A revision of the Engine.IO protocol. Socket.IO 3 and later use 4; Socket.IO 1 and 2 use 3.
public enum EngineVersion: Int, Sendable {
    case v3 = 3
    case v4 = 4
}
