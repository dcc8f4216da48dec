public import WebSocket

/// What an application does with an Engine.IO session. All calls come on the session's loop.
public protocol EngineHandler: AnyObject {
    func received(_ message: Message, on socket: EngineSocket)
    /// The last call: nothing more can come or go.
    func ended(_ ending: EngineEnding, on socket: EngineSocket)
}
