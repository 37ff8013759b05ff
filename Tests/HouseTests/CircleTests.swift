import Foundation
import Testing

/// The use of types between the folders of a target. Folders that use each other, directly or through others, can be
/// neither read nor changed separately.
struct CircleTests {
  /// Returns the lines without texts, whose words are no types, except for interpolations.
  private static func withoutTexts(_ lines: [String]) -> [String] {
    let (string, interpolated) = (#/"(?:\\.|[^"\\])*"/#, #/\\\(([^)]*)/#)
    var isText = false
    return lines.map { line in
      // Text and code alternate at the quotation marks of a long text.
      var code = ""
      for (index, piece) in line.split(separator: "\"\"\"", omittingEmptySubsequences: false).enumerated() {
        if index > 0 { isText.toggle() }
        guard !isText else { continue }
        code += piece.replacing(string) { text in
          text.output.matches(of: interpolated).map { String($0.output.1) }.joined(separator: " ")
        }
      }
      return code
    }
  }

  /// Returns the folders of these files that form circles, each circle separately.
  private static func circles(in files: [Repository.File]) -> [[String]] {
    let declaration =
      #/^((?:public |package |internal |fileprivate |private )*)(?:final |indirect )*(?:nonisolated )?(?:struct|class|enum|actor|protocol|typealias)\s+([A-Z]\w*)/#
    // A boundary between letters and anything else: by Unicode's own rules, `JSONPointer.step` is one word.
    let word = #/\b[A-Z]\w*\b/#.wordBoundaryKind(.simple)
    let files = files.map { file in (path: file.path, lines: withoutTexts(file.code.map { $0.text })) }
    // The files of the types that are visible outside of their file.
    var owners: [Substring: Set<String>] = [:]
    var own: [String: Set<Substring>] = [:]
    for (path, lines) in files {
      for line in lines {
        guard let match = line.firstMatch(of: declaration) else { continue }
        own[path, default: []].insert(match.output.2)
        if !match.output.1.contains("private") { owners[match.output.2, default: []].insert(path) }
      }
    }
    var uses: [String: Set<String>] = [:]
    for (path, lines) in files {
      let folder = (path as NSString).deletingLastPathComponent
      for line in lines {
        for match in line.matches(of: word) where own[path]?.contains(match.output) != true {
          guard let owner = owners[match.output]?.min() else { continue }
          let other = (owner as NSString).deletingLastPathComponent
          if other != folder { uses[folder, default: []].insert(other) }
        }
      }
    }
    // Two folders are in one circle if each is reached from the other.
    func reached(from folder: String) -> Set<String> {
      var (found, next) = (Set<String>(), [folder])
      while let one = next.popLast() {
        for other in uses[one] ?? [] where found.insert(other).inserted { next.append(other) }
      }
      return found
    }
    let reach = uses.keys.reduce(into: [:]) { $0[$1] = reached(from: $1) }
    let circles = reach.keys.map { one in
      reach.keys.filter { reach[one]!.contains($0) && reach[$0]!.contains(one) }.sorted()
    }
    return Set(circles.filter { $0.count > 1 }).sorted { $0[0] < $1[0] }
  }

  @Test(
    arguments: Repository.folders(in: "Sources").filter { $0 != "Vendors" }
      + Repository.folders(in: "Sources/Vendors").map { "Vendors/\($0)" })
  func `the folders of a target form no circle`(target: String) {
    #expect(Self.circles(in: Repository.swiftFiles(below: "Sources/\(target)")) == [])
  }

  @Test(arguments: ["let x: Hole", "Hole.make()", "[Hole]()", "Text(\"\\(Hole.first)\")"])
  func `two folders that use each other are found, whatever the spelling of a type's name`(use: String) {
    let files = [
      Repository.File(path: "T/One/Text.swift", text: "struct Text {}\nextension Text { func f() { \(use) } }\n"),
      Repository.File(path: "T/Other/Hole.swift", text: "package struct Hole {\n  var text: Text\n}\n"),
    ]
    #expect(Self.circles(in: files) == [["T/One", "T/Other"]])
    let straight = [
      files[1], Repository.File(path: "T/One/Text.swift", text: "struct Text { let a = \"Hole\" } // Hole\n"),
    ]
    #expect(Self.circles(in: straight) == [])
  }
}
