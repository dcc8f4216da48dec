import EventLoop
import Glibc
import ServiceKit
import TestSupport

extension StoredFile {
    /// The bytes of the file.
    func content() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        var filled = 0
        while filled < size {
            let count = bytes.withUnsafeMutableBytes {
                pread(file.descriptor, $0.baseAddress! + filled, size - filled, off_t(filled))
            }
            guard count > 0 else { throw NeverHappened(description: "the file is shorter than its size") }
            filled += count
        }
        return bytes
    }
}
