internal import Contract
internal import HTTP
internal import Wire

extension Call {
    /// Reads a multipart body: fields into memory, files into uploads of the file store.
    ///
    /// A part with a file name is a file, independent of its declared type. An empty file means that the user chose none.
    func multipartFields() async throws -> Fields {
        guard let type = request.headers.text(.contentType), let boundary = HeaderParameters(type)?.multipartBoundary
        else {
            throw Failure.invalid("The body's boundary is missing.")
        }
        let parser = MultipartParser(boundary: boundary, limits: multipartLimits)
        var form = MultipartForm(parser: parser, text: bodyLimit.text)
        var size = 0
        do {
            for try await chunk in request.body {
                size += chunk.count
                guard size <= bodyLimit.total else { throw Failure.tooLarge("The body is too large.") }
                try await form.read(chunk, to: route?.uploads, limit: bodyLimit.files)
            }
            try form.parser.finish()
        } catch let error as MultipartError {
            throw Failure(error)
        }
        return Fields(form.values, uploads: form.files, unwrapsOptional: profile.unwrapsOptional)
    }

    private var multipartLimits: MultipartLimits {
        var limits = MultipartLimits()
        limits.fieldBytes = bodyLimit.text
        limits.fileBytes = bodyLimit.fileSize
        return limits
    }
}

/// The parts of a multipart body that have arrived.
private struct MultipartForm {
    var parser: MultipartParser
    var values: [String: Fields.Value] = [:]
    var files: [UploadedFile] = []
    private var part: MultipartPart?
    private var text: [UInt8] = []
    private var file: UploadedFile?
    /// Bytes that further fields may have. Fields are in memory, so their sum is limited and not each of them alone.
    private var textLeft: Int

    /// - Parameter text: the most bytes of all fields together.
    init(parser: MultipartParser, text: Int) {
        self.parser = parser
        textLeft = text
    }

    /// Reads the next chunk of the body. Files go to `uploads`; if it is nil, a file with content is refused.
    mutating func read(_ chunk: [UInt8], to uploads: Uploads?, limit: Int) async throws {
        parser.append(chunk)
        while let event = try parser.next() {
            switch event {
            case .begin(let part):
                self.part = part
                text = []
                file = nil
            case .data(let bytes):
                if let name = part?.fileName {
                    try await add(bytes, toFile: name, uploads, limit)
                } else {
                    textLeft -= bytes.count
                    guard textLeft >= 0 else { throw Failure.tooLarge("The fields of the body are too large.") }
                    text += bytes
                }
            case .end: try await endPart()
            }
        }
    }

    private mutating func add(
        _ bytes: ArraySlice<UInt8>, toFile name: String, _ uploads: Uploads?, _ limit: Int
    ) async throws {
        guard let uploads else { throw Failure.invalid("There are too many files.") }
        let file: UploadedFile
        if let begun = self.file {
            file = begun
        } else {
            guard files.count < limit else { throw Failure.invalid("There are too many files.") }
            file = UploadedFile(field: part?.name ?? "", name: name, upload: try await uploads.store.begin())
            self.file = file
        }
        try await file.upload.write(bytes.span.bytes)
        guard file.upload.imageSize?.pixels ?? 0 <= uploads.mostPixels else {
            throw Failure.invalid("The picture has too many pixels.")
        }
    }

    private mutating func endPart() async throws {
        if let file {
            try await file.upload.erasePlaces()
            files.append(file)
        } else if let part, part.fileName == nil {
            guard let text = String(validating: text, as: UTF8.self) else {
                throw Failure.invalid("A field is not UTF-8.")
            }
            values[part.name] = .text(text)
        }
        part = nil
        file = nil
    }
}

extension Failure {
    fileprivate init(_ error: MultipartError) {
        switch error {
        case .fieldTooLarge, .fileTooLarge, .headerTooLarge, .tooManyParts:
            self = .tooLarge("A part of the body is too large.")
        case .malformedBoundary, .malformedHeader, .incomplete:
            self = Failure(.invalidRequest, "The body's parts are not valid.", status: 400)
        }
    }
}
