internal import Foundation
package import GatewayStores

/// The path of a database file in its own temporary folder. The folder is removed with the last reference; an open file
/// stays usable without its name.
package final class TemporaryStore: Sendable {
  package let path: String
  private let folder: String

  package init() {
    folder = NSTemporaryDirectory() + "postern-store-" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/store"
  }

  /// Returns a store in the file.
  package func open() throws(SQLiteFileError) -> SQLiteStore {
    try SQLiteStore(path: path)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }
}
