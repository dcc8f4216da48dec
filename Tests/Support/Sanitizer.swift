import Glibc

/// What watches this process, and the products that it starts.
public enum Sanitizer {
    /// Whether one does. It holds on to memory of its own, and to what was given back: how much a program takes under it
    /// says nothing of the program.
    public static let isPresent = ["__tsan_acquire", "__asan_address_is_poisoned"].contains { (name: String) in
        dlsym(nil, name) != nil
    }
}
