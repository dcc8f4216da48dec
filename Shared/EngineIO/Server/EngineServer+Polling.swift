internal import EventLoop
internal import HTTP

extension EngineServer {
    func openPolling(
        _ version: EngineVersion, takesBinary: Bool, _ request: Request
    ) async throws(EngineError) -> Response {
        let acceptance = try await accept(request)
        let owner = loops.current
        // Other sessions may have opened, or a drain begun, while the application was asked.
        try owner.requireRoom()
        let socket = owner.makeSession(version, over: nil, takesBinary: takesBinary, acceptance)
        return try await poll(socket.id, on: owner)
    }

    func poll(_ id: String, on owner: EngineLoop) async throws(EngineError) -> Response {
        let ticket = PollTicket()
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                owner.loop.execute {
                    guard ticket.wait(continuation) else { return owner.lost(id) }
                    do throws(EngineError) {
                        let socket = try owner.session(id)
                        ticket.wait(for: socket)
                        try socket.poll(ticket)
                    } catch {
                        ticket.answer(.failure(error))
                    }
                }
            }
        } onCancel: {
            owner.loop.execute { ticket.lose() }
        }
        let payload = try outcome.get()
        var response =
            payload.isBinary
            ? Response(type: "application/octet-stream", payload.bytes)
            : Response(type: "text/plain; charset=UTF-8", payload.bytes)
        response.headers.append(.cacheControl, "no-store")
        return response
    }

    func post(_ id: String, on owner: EngineLoop, _ request: Request) async throws(EngineError) -> Response {
        let limit = try await owner.ask { owner throws(EngineError) in
            let session = try owner.session(id)
            try session.postBegan()
            return session.maximumPayload
        }
        let isBinary = request.headers.text(.contentType) == "application/octet-stream"
        let bytes: [UInt8]
        do throws(BodyError) {
            bytes = try await request.body.collect(upTo: limit)
        } catch {
            return try await refuseBody(of: id, on: owner, error)
        }
        let payload = PollPayload(bytes: bytes, isBinary: isBinary)
        try await owner.ask { owner throws(EngineError) in try owner.session(id).posted(payload) }
        var response = Response(type: "text/html", Array("ok".utf8))
        response.headers.append(.cacheControl, "no-store")
        return response
    }

    private func refuseBody(
        of id: String, on owner: EngineLoop, _ error: BodyError
    ) async throws(EngineError) -> Response {
        guard case .tooLarge = error else {
            try await owner.ask { owner throws(EngineError) in try owner.session(id).postLost() }
            throw .badRequest
        }
        try await owner.ask { owner throws(EngineError) in try owner.session(id).posted(nil) }
        return Response(.contentTooLarge)
    }
}

extension EngineLoop {
    /// Runs a closure on the loop and waits for its result.
    func ask<Value: Sendable>(
        _ question: @escaping @Sendable (EngineLoop) throws(EngineError) -> Value
    ) async throws(EngineError) -> Value {
        let outcome: Result<Value, EngineError> = await withUnsafeContinuation { continuation in
            loop.execute { [self] in
                do throws(EngineError) {
                    continuation.resume(returning: .success(try question(self)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try outcome.get()
    }
}
