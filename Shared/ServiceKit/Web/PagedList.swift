public import Wire

/// A list of a reply that is read page by page while the client takes it, so that a slow client holds no list in memory.
public struct PagedList<Element: Sendable, Key: Sendable>: Sendable {
    /// Reads at most `limit` elements in order: the first ones, or those after the element with the key `after`. A
    /// shorter page is the last one.
    public typealias Page = @Sendable (_ after: Key?, _ limit: Int) async throws -> [Element]

    /// Elements of a full page.
    let pageSize: Int
    /// The first page, if it is known already. The progress of a reply takes it out, or it would stay in memory.
    var first: [Element]?
    let page: Page
    let key: @Sendable (Element) -> Key
    let write: @Sendable (Element, inout JSONWriter) -> Void
    /// Frees values that `page` keeps for further pages.
    let whenSlow: @Sendable () -> Void

    /// - Parameters:
    ///   - first: the first page, if the caller has read it; read with a limit of `pageSize`.
    ///   - key: the place of an element in the order.
    ///   - write: writes one JSON value, or nothing for an element that the reply leaves out.
    ///   - whenSlow: frees values that `page` keeps for further pages; called before the reply waits for a slow client.
    public init(
        pageSize: Int, first: [Element]? = nil, page: @escaping Page, key: @escaping @Sendable (Element) -> Key,
        write: @escaping @Sendable (Element, inout JSONWriter) -> Void,
        whenSlow: @escaping @Sendable () -> Void = {}
    ) {
        self.pageSize = pageSize
        self.first = first
        self.page = page
        self.key = key
        self.write = write
        self.whenSlow = whenSlow
    }
}

/// The part of a list that is written, with the page that is being written.
struct PagedListProgress<Element: Sendable, Key: Sendable>: PagedBodyPart {
    private let list: PagedList<Element, Key>
    private var page: ArraySlice<Element>
    private var last: Key?
    private var isLastPage = false
    private var limit: Int

    /// Elements of the first page after the client was slow. The pages grow again while it keeps up.
    private static var smallest: Int { 16 }

    init(_ list: PagedList<Element, Key>) {
        var rest = list
        rest.first = nil
        self.list = rest
        limit = list.pageSize
        page = []
        if let first = list.first { take(first) }
    }

    mutating func write(to json: inout JSONWriter, upTo size: Int) async throws -> Bool {
        while true {
            while let element = page.popFirst() {
                list.write(element, &json)
                last = list.key(element)
                if json.output.count >= size { return page.isEmpty && isLastPage }
            }
            if isLastPage { return true }
            take(try await list.page(last, limit))
        }
    }

    private mutating func take(_ elements: [Element]) {
        isLastPage = elements.count < limit
        page = elements[...]
        limit = min(limit * 2, list.pageSize)
    }

    mutating func dropPage() {
        if !page.isEmpty { isLastPage = false }
        page = []
        limit = min(Self.smallest, list.pageSize)
        list.whenSlow()
    }
}
