import Foundation
import Testing

/// The scenes that run with one gateway only.
struct SceneTests {
  private static let list = "Tests/Vendors/single-scenes.json"

  @Test
  func `every scene that runs with one gateway only has a reason, and is a test of a suite that runs on nodes`() throws
  {
    let text = try #require(Repository.text(of: Self.list))
    let reasons = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
    #expect(reasons.count == text.split(separator: "\n").count { $0.contains("\": \"") }, "a name stands there twice")
    let scenes = Repository.swiftFiles(below: "Tests/Vendors").filter { $0.text.contains("@Suite(.onNodes)") }
    for (name, reason) in reasons {
      #expect(!reason.isEmpty && scenes.contains { $0.text.contains("func `\(name)`") }, "\(name)")
    }
  }
}
