import Foundation

/// A file that is removed with the test.
package final class TemporaryFile: Sendable {
  package let path: String

  package init(_ text: String) throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("postern-\(UUID().uuidString)").path
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
