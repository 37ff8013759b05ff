import Testing

struct ArticleTests {
  /// The modules that others' tests import.
  private static let modules = ["PosternTesting", "PosternSwiftTesting", "PosternXCTest"]

  @Test(arguments: modules)
  func `each testing module has a landing page and two articles`(module: String) {
    let pages = Repository.files(below: "Sources/\(module)/\(module).docc", extensions: ["md"])
    #expect(pages.count == 3)
    let landing = pages.first { $0.path.hasSuffix("/\(module).md") }
    #expect(landing?.lines.first == "# ``\(module)``")
    for page in pages where page.path != landing?.path {
      let name = page.path.split(separator: "/").last?.dropLast(3) ?? ""
      #expect(landing?.text.contains("- <doc:\(name)>") == true, "\(page.path) is not on the landing page")
    }
  }

  @Test(arguments: modules)
  func `the code of an article is code that Examples compiles`(module: String) {
    let compiled = Set(
      Repository.swiftFiles(below: "Examples/swift-test/Tests").flatMap { $0.lines.map(Self.trimmed) })
    for page in Repository.files(below: "Sources/\(module)/\(module).docc", extensions: ["md"]) {
      var isCode = false
      var count = 0
      for (index, line) in page.lines.enumerated() {
        if line.hasPrefix("```") {
          isCode = line == "```swift"
        } else if isCode {
          count += 1
          #expect(compiled.contains(Self.trimmed(line)), "\(page.path):\(index + 1): no example has this line")
        }
      }
      #expect(count > 0, "\(page.path) has no code")
    }
  }

  private static func trimmed(_ line: String) -> Substring {
    line[...].drop { $0 == " " }
  }
}
