import Foundation
import Testing

/// The tutorial, `Sources/Vendors/README.md`, compared with the vendor that it builds.
struct TutorialTests {
  private let folder = URL(filePath: #filePath).deletingLastPathComponent()

  @Test
  func `the tutorial shows every file of its vendor as it is built, and no other code`() throws {
    let page = folder.appending(path: "../../../Sources/Vendors/README.md").standardizedFileURL
    let text = try String(contentsOf: page, encoding: .utf8)
    var blocks = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    let files = try FileManager.default.contentsOfDirectory(
      at: folder.appending(path: "Parrot"), includingPropertiesForKeys: nil)
    #expect(files.count == blocks.count && files.count > 4)
    for file in files {
      let source = try String(contentsOf: file, encoding: .utf8)
      #expect(blocks.contains(source), "\(file.lastPathComponent) is not in the tutorial as it is")
      blocks.removeAll { $0 == source }
    }
    #expect(blocks.isEmpty)
  }
}
