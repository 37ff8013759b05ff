internal import GatewayCore
internal import Synchronization

/// The wire formats that have had a connection since the gateway's start.
///
/// An announcement is encoded for these alone, so a vendor of five formats whose clients use one pays for one. A format
/// counts from the opening of its first connection, so every connection that is open at an announcement receives it.
final class SpokenDialects: Sendable {
  private final class Entry: Sendable {
    let dialect: any Dialect
    let isSpoken = Atomic(false)

    init(_ dialect: any Dialect) {
      self.dialect = dialect
    }
  }

  /// Each name once.
  private let entries: [Entry]

  init(_ bindings: [DialectBinding]) {
    var entries: [Entry] = []
    for dialect in bindings.flatMap({ [$0.dialect] + ($0.jsonDialect.map { [$0] } ?? []) })
    where !entries.contains(where: { $0.dialect.name == dialect.name }) {
      entries.append(Entry(dialect))
    }
    self.entries = entries
  }

  /// Somebody begins to speak it. From any thread.
  func note(_ dialect: any Dialect) {
    let name = dialect.name
    for entry in entries where !entry.isSpoken.load(ordering: .relaxed) && entry.dialect.name == name {
      entry.isSpoken.store(true, ordering: .relaxed)
    }
  }

  /// Somebody elsewhere may speak any of them. From any thread.
  func noteAll() {
    for entry in entries { entry.isSpoken.store(true, ordering: .relaxed) }
  }

  /// What `words` makes of each that is spoken, where it makes something. From any thread.
  func frames(_ words: (any Dialect) -> Frame?) -> [DialectFrame] {
    var frames: [DialectFrame] = []
    for entry in entries where entry.isSpoken.load(ordering: .relaxed) {
      if let frame = words(entry.dialect) { frames.append(DialectFrame(entry.dialect.name, frame)) }
    }
    return frames
  }
}
