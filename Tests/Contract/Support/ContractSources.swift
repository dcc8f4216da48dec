import Foundation

/// The source files of the repository, for tests that compare them with the messages.
enum ContractSources {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL

    /// The names of the types in Shared/Contract that declare one of these protocols.
    static func types(of protocols: Set<String>) throws -> Set<String> {
        let declaration = /(?:struct|enum|extension)\s+([\w.]+)\s*:\s*([\w, .]+?)\s*\{/
        var names: Set<String> = []
        for text in try files(in: "Shared/Contract") {
            for match in text.matches(of: declaration) {
                let declared = match.output.2.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                guard !protocols.isDisjoint(with: declared) else { continue }
                names.insert(String(match.output.1.split(separator: ".").last ?? ""))
            }
        }
        return names
    }

    /// The texts of all Swift files in a folder.
    static func files(in folder: String) throws -> [String] {
        let root = repository.appending(path: folder)
        let paths = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects ?? []
        return try paths.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map {
            try String(contentsOf: $0, encoding: .utf8)
        }
    }
}
