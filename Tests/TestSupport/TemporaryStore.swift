internal import Foundation
package import GatewayStores

/// The path of a database file in a folder of its own among the system's temporary ones, removed with the last reference;
/// who has opened it by then goes on without its name.
package final class TemporaryStore: Sendable {
  package let path: String
  private let folder: String

  package init() {
    folder = NSTemporaryDirectory() + "postern-store-" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/store"
  }

  /// A store in the file.
  package func open() throws(SQLiteFileError) -> SQLiteStore {
    try SQLiteStore(path: path)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }
}
