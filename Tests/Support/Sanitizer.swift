import Glibc

/// The sanitizer of this process and of the products that it starts.
public enum Sanitizer {
    /// Whether there is one. A sanitizer uses memory of its own and holds on to freed memory, so the memory use of a
    /// program under it says nothing about the program.
    public static let isPresent = ["__tsan_acquire", "__asan_address_is_poisoned"].contains { (name: String) in
        dlsym(nil, name) != nil
    }
}
