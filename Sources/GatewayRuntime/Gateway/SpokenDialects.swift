internal import GatewayCore
internal import Synchronization

/// The wire formats that have had a connection since the gateway's start.
///
/// An announcement is encoded for these dialects only, so a vendor with five formats whose clients use one pays for
/// one. A dialect counts from its first connection on, so every open connection receives each announcement.
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

  /// Returns the frames of `words` for each dialect in use, where there is one. From any thread.
  func frames(_ words: (any Dialect) -> Frame?) -> [DialectFrame] {
    var frames: [DialectFrame] = []
    for entry in entries where entry.isSpoken.load(ordering: .relaxed) {
      if let frame = words(entry.dialect) { frames.append(DialectFrame(entry.dialect.name, frame)) }
    }
    return frames
  }
}
