import Foundation
import Testing

/// A newcomer reads a type's comment first. Each type has one, whose first sentence is short.
struct CommentTests {
  /// The comments of the types of a file that stand in no other, by name.
  private static func comments(in file: Repository.File) -> [(name: String, line: Int, comment: String)] {
    let declaration =
      #/^(?:public |package |internal |fileprivate |private )*(?:final |indirect )*(?:nonisolated )?(?:struct|class|enum|actor|protocol)\s+([A-Z]\w*)/#
    return file.lines.enumerated().compactMap { index, line in
      guard line.utf8.first.map({ $0 > UInt8(ascii: "Z") }) == true, let match = line.firstMatch(of: declaration) else {
        return nil
      }
      var above = file.lines[..<index]
      while let last = above.last, last.hasPrefix("@") || last.hasPrefix("// ") { above.removeLast() }
      let comment = above.reversed().prefix { $0.hasPrefix("///") }.reversed()
      let text = comment.map { $0.dropFirst("///".count).trimmingCharacters(in: .whitespaces) }
      return (String(match.output.1), index + 1, text.joined(separator: " "))
    }
  }

  private static let wordsMax = 25

  /// The fault of a comment; nil if it has none.
  private static func fault(of comment: String) -> String? {
    guard !comment.isEmpty else { return "is missing" }
    // A sentence ends with a full stop and a space; the one in "e.g. " ends none.
    let first = comment.replacing("e.g. ", with: "e.g.").split(separator: ". ", maxSplits: 1)[0]
    let words = first.split(separator: " ").count
    return words > wordsMax ? "has a first sentence of \(words) words; write \(wordsMax) at most" : nil
  }

  @Test
  func `each type has a comment whose first sentence is short`() {
    // The tutorial's vendor is where a vendor's comments are copied from.
    let tutorial = Repository.swiftFiles(below: "Tests/GatewayKitTests/Tutorial/Parrot")
    #expect(tutorial.count > 4)
    for file in Repository.swiftFiles(below: "Sources") + tutorial {
      for (name, line, comment) in Self.comments(in: file) {
        if let fault = Self.fault(of: comment) { Issue.record("\(file.path):\(line) the comment of \(name) \(fault)") }
      }
    }
  }

  @Test(
    arguments: [
      ("/// A token.\nstruct Token {}", nil), ("/// A token.\n// Small.\n@frozen\npackage struct Token {}", nil),
      ("/// A token, `eyJ…`.\n///\n/// Long.\nfinal class Token {}", nil), ("/// A token.\nenum Token {}", nil),
      ("struct Token {}", "is missing"), ("/// A token.\n\nstruct Token {}", "is missing"),
      ("/// \(CommentTests.words(25)).\n/// \(CommentTests.words(30)).\nactor Token {}", nil),
      (
        "/// \(CommentTests.words(21))\n/// e.g. \(CommentTests.words(5)).\nactor Token {}",
        "has a first sentence of 26 words; write 25 at most"
      ),
    ])
  func `a comment that is missing or has a long first sentence is found`(text: String, fault: String?) {
    let found = Self.comments(in: Repository.File(path: "Token.swift", text: text))
    #expect(found.map(\.name) == ["Token"])
    #expect(found.first.flatMap { Self.fault(of: $0.comment) } == fault)
  }

  private static func words(_ count: Int) -> String {
    Array(repeating: "word", count: count).joined(separator: " ")
  }
}
