import GatewayCore
import GatewayKit

/// The rows of these tests.
struct Note: StoreValue, Hashable {
  var text: String

  static let table = StoreTable<Note>("tests.note")
}

extension Store {
  func note(_ parts: StoreKey, at now: WallTime) async throws -> String? {
    try await get(parts, as: Note.self, at: now)?.text
  }

  /// Writes rows; returns whether they were written.
  func write(
    _ writes: [StoreCommit.Write], if checks: [StoreCommit.Check] = [], at now: WallTime
  ) async throws -> Bool {
    try await commit(StoreCommit(checks: checks, writes: writes), at: now)
  }
}

extension StoreCommit.Write {
  init(_ key: StoreKey, _ text: String, expires: WallTime? = nil, in counts: [StoreCount] = []) {
    self.init(key, Note(text: text) as any StoreValue, expires: expires, in: counts)
  }

  static func removal(of key: StoreKey) -> StoreCommit.Write {
    StoreCommit.Write(key, nil as (any StoreValue)?)
  }
}
