import GatewayCore
import GatewayKit
import TestSupport
import Testing

struct ConnectionRowTests {
  private struct Row: StoreValue {
    var connection: ConnectionID
  }

  private static let table = StoreTable<Row>("test.connection")

  @Test(arguments: StoreCase.all)
  func `a connection's name of any node, loop and boot is read back from a row unchanged`(
    _ engine: StoreCase
  ) async throws {
    let (store, now) = (try engine.make(), WallTime(seconds: 1_000))
    for raw in [1, 1 << 49, 1 << 51, 1 << 59, 1 << 62, 1 << 63, .max] as [UInt64] {
      let row = Row(connection: ConnectionID(rawValue: raw))
      #expect(try await store.commit(StoreCommit(writes: [StoreCommit.Write(Self.table.key("a"), row)]), at: now))
      #expect(try await store.get(Self.table.key("a"), as: Row.self, at: now)?.connection == row.connection)
    }
  }
}
