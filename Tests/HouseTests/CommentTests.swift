import Foundation
import Testing

/// A newcomer reads a type's comment first: it begins with a noun that the reader knows.
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

  /// The fault of a comment; nil if it has none.
  private static func fault(of comment: String) -> String? {
    guard let first = comment.split(separator: " ").first else { return "is missing" }
    let others = [
      "Whether", "What", "Where", "How", "When", "Who", "Whom", "Whose", "Which", "Why", "That", "Tells", "Makes",
      "Keeps", "Does", "Reads", "Writes", "Says", "Ends", "Takes",
    ]
    return others.contains(String(first)) ? "begins with '\(first)', which is no noun" : nil
  }

  @Test("the comment of a type begins with a noun")
  func sources() {
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
    "a type's comment that is missing or begins with no noun is found",
    arguments: [
      ("/// A token: ann's, for instance.\nstruct Token {}", nil),
      ("/// A token: ann's, for instance.\n// Small.\n@frozen\npackage struct Token {}", nil),
      ("/// A token, `eyJ…`.\n///\n/// Long.\nfinal class Token {}", nil),
      ("struct Token {}", "is missing"), ("/// A token.\n\nstruct Token {}", "is missing"),
      ("/// A token.\nenum Token {}", nil),
      ("/// What lets in: ann's, for instance.\nactor Token {}", "begins with 'What', which is no noun"),
    ])
  func rule(text: String, fault: String?) {
    let found = Self.comments(in: Repository.File(path: "Token.swift", text: text))
    #expect(found.map(\.name) == ["Token"])
    #expect(found.first.flatMap { Self.fault(of: $0.comment) } == fault)
  }
}
