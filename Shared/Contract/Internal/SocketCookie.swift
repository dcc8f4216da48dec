/// The cookie that opens sockets: the operating system's cookie store carries it from an app's
/// HTTP calls to its socket.
public enum SocketCookie {
    public static let name = "maru_socket"
}
