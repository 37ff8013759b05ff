package import GatewayKit

/// The place where a gateway remembers, as an operator writes it: `sqlite:/var/lib/postern/store`, for instance.
package enum StoreChoice: Hashable, Sendable {
  /// In the process, and gone with it.
  case memory
  /// In a file that outlives the process.
  case sqlite(path: String)

  /// `memory`, or `sqlite:` and the path of a file; nil for anything else.
  package init?(_ text: String) {
    if text == "memory" {
      self = .memory
    } else if text.hasPrefix("sqlite:"), text.utf8.count > "sqlite:".utf8.count {
      self = .sqlite(path: String(text.dropFirst("sqlite:".count)))
    } else {
      return nil
    }
  }

  /// The store, ready. One in memory runs on `executor`; `trouble` hears what keeps one on disk from doing its work, which
  /// moves rows that cannot be read out of the way if `setsDamagedAside`.
  package func open(
    on executor: any SerialExecutor, setsDamagedAside: Bool = false, trouble: @escaping @Sendable (String) -> Void
  ) throws(SQLiteFileError) -> any Store {
    switch self {
    case .memory: MemoryStore(on: executor)
    case .sqlite(let path): try SQLiteStore(path: path, setsDamagedAside: setsDamagedAside, trouble: trouble)
    }
  }
}
