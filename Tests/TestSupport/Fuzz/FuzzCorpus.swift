import Foundation

/// The starting texts of a dialect's fuzz test: the words in its sources, and the valid messages and bodies in its
/// tests. They are read from the repository, so that new members and messages are included automatically.
package struct FuzzCorpus {
  /// The dialect's folder.
  let folder: String
  private(set) var words: [String] = []
  /// JSON texts of objects.
  private(set) var objects: [String] = []
  /// The names before objects, if the dialect's messages begin with one: `MESG{…}`.
  private(set) var commands: [String] = []

  /// Reads the words and examples of a dialect with sources in `folder` below Sources/Vendors; the paths of its tests
  /// contain one of `tests`.
  package init(folder: String, tests: [String]) {
    self.folder = folder
    var words: Set<String> = [], objects: Set<String> = [], commands: Set<String> = []
    for text in Self.texts(below: "Sources/Vendors/\(folder)") {
      for match in text.matches(of: #/"([A-Za-z_][A-Za-z0-9_.:\-]{1,40})"/#) { words.insert(String(match.output.1)) }
    }
    for text in Self.texts(below: "Tests", containing: tests) {
      for match in text.matches(
        of: #/#?"([A-Z]{4})?(\{.*\})(?:\\n)?"#?|^[<>] ?([A-Z]{4})?(\{.*\})$/#.anchorsMatchLineEndings())
      {
        let object = String(match.output.2 ?? match.output.4 ?? "")
        objects.insert(object.replacing(#/\\#?\([^()]*(?:\([^()]*\)[^()]*)*\)/#, with: "ann"))
        if let command = match.output.1 ?? match.output.3 { commands.insert(String(command)) }
      }
    }
    self.words = words.sorted()
    self.objects = objects.filter { $0.utf8.count < 4_000 && JSONTree(parsing: $0) != nil }.sorted()
    self.commands = commands.sorted()
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func texts(below folder: String, containing parts: [String] = [""]) -> [String] {
    let base = root.appending(path: folder)
    let paths = (FileManager.default.enumerator(atPath: base.path)?.allObjects ?? []).compactMap { $0 as? String }
    return paths.sorted().filter { path in
      (path.hasSuffix(".swift") || path.hasSuffix(".txt")) && parts.contains { $0.isEmpty || path.contains($0) }
    }.compactMap { try? String(contentsOf: base.appending(path: $0), encoding: .utf8) }
  }
}
