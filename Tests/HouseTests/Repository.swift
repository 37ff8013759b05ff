import Foundation

/// The repository from which this test was built.
enum Repository {
  /// A file by its path below the repository's root.
  struct File {
    let path: String
    let text: String
    let lines: [String]

    init(path: String, text: String) {
      self.path = path
      self.text = text
      lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The lines without their comments, so that a comment never breaks a rule about code.
    var code: [(number: Int, text: String)] {
      lines.enumerated().compactMap { index, line in
        let code = Self.withoutComment(line)
        return code.isEmpty ? nil : (index + 1, code)
      }
    }

    /// Returns the line up to its comment, or nothing if that is blank. It uses Foundation's search, which is fast in a debug
    /// build too.
    private static func withoutComment(_ line: String) -> String {
      let code = line.range(of: "//", options: .literal).map { String(line[..<$0.lowerBound]) } ?? line
      return code.trimmingCharacters(in: .whitespaces).isEmpty ? "" : code
    }
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Generated folders that are not committed, as in `.gitignore`.
  private static let made: Set<String> = [
    ".git", ".build", ".venv", ".swiftpm", "__pycache__", "reports", "node_modules",
  ]

  /// Returns every text file below `folder`, sorted by path.
  static func files(below folder: String = "", extensions: Set<String>? = nil) -> [File] {
    let base = folder.isEmpty ? root : root.appending(path: folder)
    guard let paths = FileManager.default.enumerator(atPath: base.path) else { return [] }
    var files: [File] = []
    while let path = paths.nextObject() as? String {
      if made.contains((path as NSString).lastPathComponent) {
        paths.skipDescendants()
        continue
      }
      if let extensions, !extensions.contains((path as NSString).pathExtension) { continue }
      guard let text = try? String(contentsOf: base.appending(path: path), encoding: .utf8) else { continue }
      files.append(File(path: folder.isEmpty ? path : "\(folder)/\(path)", text: text))
    }
    return files.sorted { $0.path < $1.path }
  }

  /// Returns the Swift files below `folder`.
  static func swiftFiles(below folder: String) -> [File] {
    files(below: folder, extensions: ["swift"])
  }

  /// Returns the names of the folders directly below `folder`.
  static func folders(in folder: String = "") -> [String] {
    let base = folder.isEmpty ? root : root.appending(path: folder)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: base.path)) ?? []
    return names.filter { name in
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(atPath: base.appending(path: name).path, isDirectory: &isFolder)
      return exists && isFolder.boolValue && !made.contains(name)
    }.sorted()
  }

  /// Returns the text of one file; nil if there is none.
  static func text(of path: String) -> String? {
    try? String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
