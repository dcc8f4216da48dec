/// The cookie that authenticates sockets. The operating system's cookie store takes it from an app's HTTP calls to its
/// socket.
public enum SocketCookie {
    public static let name = "maru_socket"
}
