import Redis

enum PercentEncoding { static func decode(_ b: ArraySlice<UInt8>) -> String? { String(decoding: b, as: UTF8.self) } }
struct QueryParameters {
    init?(_ b: ArraySlice<UInt8>) {}
    subscript(_ n: String) -> String? { nil }
}
extension RedisConfiguration { init?(url: String) { self.init() } }
