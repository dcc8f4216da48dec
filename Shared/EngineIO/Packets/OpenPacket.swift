internal import Wire

/// The handshake data that a client gets when its session opens.
struct OpenPacket {
    let id: String
    let upgrades: [String]
    let settings: EngineSettings

    var json: [UInt8] {
        JSONWriter.bytes { json in
            json.object { json in
                json.field("sid", id)
                json.field("upgrades", upgrades)
                json.field("pingInterval", settings.pingInterval.wholeMilliseconds)
                json.field("pingTimeout", settings.pingTimeout.wholeMilliseconds)
                json.field("maxPayload", settings.maximumPayload)
            }
        }
    }
}
