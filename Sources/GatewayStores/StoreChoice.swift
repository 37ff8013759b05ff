package import GatewayKit

/// The store of a gateway, as an operator writes it: `memory` or e.g. `sqlite:/var/lib/postern/store`.
package enum StoreChoice: Hashable, Sendable {
  /// A store in the process, which is gone when the process ends.
  case memory
  /// A store in a file that outlives the process.
  case sqlite(path: String)

  /// Reads `memory`, or `sqlite:` and the path of a file. Returns nil for anything else.
  package init?(_ text: String) {
    if text == "memory" {
      self = .memory
    } else if text.hasPrefix("sqlite:"), text.utf8.count > "sqlite:".utf8.count {
      self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
    } else {
      return nil
    }
  }

  /// Opens the store. A store in memory runs on `executor`.
  ///
  /// - Parameters:
  ///   - executor: The executor of a store in memory.
  ///   - setsDamagedAside: Whether a store on disk moves rows that it cannot read to the table `damaged`.
  ///   - trouble: A function that is called with each reason why a store on disk cannot do its work.
  package func open(
    on executor: any SerialExecutor, setsDamagedAside: Bool = false, trouble: @escaping @Sendable (String) -> Void
  ) throws(SQLiteFileError) -> any Store {
    switch self {
    case .memory: MemoryStore(on: executor)
    case .sqlite(let path): try SQLiteStore(path: path, setsDamagedAside: setsDamagedAside, trouble: trouble)
    }
  }
}
