import Contract
import HTTP
import Search
import ServiceKit
import Wire

/// Searches the messages of a workspace.
struct SearchRoutes: Sendable {
    let search: MessageSearch
    let find: QuickFind

    func register(in routes: inout PublicRoutes) {
        routes.native(.get, "/v1/workspaces/{id}/search", messages)
        routes.native(.get, "/v1/workspaces/{id}/find", names)
    }

    func messages(_ call: Call, _ caller: Caller) async throws -> Response {
        let request = try call.searchRequest()
        let typed = try call.typedFilters() + request.query.filters
        guard !request.query.requiredTerms.isEmpty || typed.contains(where: { !$0.isExcluded }) else {
            throw Failure.invalid("q must contain a word to search for.")
        }
        let zone = try call.query("zone").flatMap { $0.isEmpty ? nil : $0 }
        let page = try await search.page(request, typed, in: zone, for: caller.user)
        let profile = call.profile
        return call.reply { json in
            json.object { json in
                json.field("items", page.hits.map(SearchHitView.init), for: profile)
                json.field("next", page.next?.text)
                json.field("complete", page.isComplete)
            }
        }
    }

    func names(_ call: Call, _ caller: Caller) async throws -> Response {
        let text = try call.searchText()
        let found = try await find.find(text, in: try call.id("id"), for: caller.user)
        return call.reply(FoundNamesView(found: found))
    }
}

extension Call {
    /// The parameters that are filters, as if they had been typed into `q`.
    fileprivate func typedFilters() throws(Failure) -> [SearchQuery.TypedFilter] {
        var filters: [SearchQuery.TypedFilter] = []
        for (name, filter) in SearchQuery.Filter.parameters {
            guard let value = try query(name), !value.isEmpty else { continue }
            filters.append(SearchQuery.TypedFilter(filter: filter, value: value))
        }
        return filters
    }

    /// The text to look for. A character may have marks, but not so many that it costs more than a few others. Scalars count once
    /// composed: a decomposed syllable is three of them.
    fileprivate func searchText() throws -> String {
        let longest = SearchRequest.maxLength
        guard let text = try query("q"), (1...longest).contains(text.count),
            text.nfc.unicodeScalars.count <= 4 * longest
        else {
            throw Failure.invalid("q must have 1 to \(longest) characters.")
        }
        return text
    }

    fileprivate func searchRequest() throws -> SearchRequest {
        let text = try searchText()
        guard let order = SearchRequest.Order(rawValue: try self.query("sort") ?? "recent") else {
            throw Failure.invalid("sort must be recent or best.")
        }
        var start: SearchPageStart?
        if let text = try self.query("cursor"), !text.isEmpty {
            guard let read = SearchPageStart(text), order == .best || read.ranked == nil else {
                throw Failure.invalid("cursor is not valid.")
            }
            start = read
        }
        return SearchRequest(
            workspace: try id("id"), query: SearchQuery(text), order: order, start: start,
            limit: try listLimit())
    }
}
