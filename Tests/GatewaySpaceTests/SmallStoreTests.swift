import GatewayCore
import GatewayKit
import GatewayStores
import TestSupport
import Testing

@testable import GatewaySpace

struct SmallStoreTests {
  private struct Row: StoreValue {
    var number: Int
  }

  private static let table = StoreTable<Row>("test.row")

  @Test
  func `a hosted space's store has a hundredth of each total bound, and the whole of each bound for one thing`()
    async throws
  {
    let store = SmallStore(MemoryStore(on: SerialTestExecutor()))
    let (all, few) = (StoreCount("test.rows", atMost: 20_000, of: "rows"), StoreCount("test.few", atMost: 7, of: "few"))
    let own = StoreCount("test.own", "ann", atMost: 300, of: "rows of ann")
    func write(_ numbers: Range<Int>, in count: StoreCount) async throws {
      let writes = numbers.map { StoreCommit.Write(Self.table.key("\($0)"), Row(number: $0), in: [count]) }
      #expect(try await store.commit(StoreCommit(writes: writes), at: WallTime(seconds: 0)))
    }
    try await write(0..<200, in: all)
    await #expect(throws: StoreError.self) { try await write(200..<201, in: all) }
    try await write(1_000..<1_300, in: own)
    await #expect(throws: StoreError.self) { try await write(1_300..<1_301, in: own) }
    try await write(2_000..<2_007, in: few)
    await #expect(throws: StoreError.self) { try await write(2_007..<2_008, in: few) }
  }
}
