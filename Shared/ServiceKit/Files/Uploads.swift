/// The destination of the files of calls, and their limits.
struct Uploads: Sendable {
    let store: any FileStore
    /// Pixels of a picture. A small file can declare so many that programs run out of memory when they show it.
    let mostPixels: Int
}
