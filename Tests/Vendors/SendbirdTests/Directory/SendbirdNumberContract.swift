import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdNumberContract {
  private let now = WallTime(seconds: 1_000)

  @Test(arguments: StoreCase.all)
  func `nodes that number by turns write nothing for most numbers, which rise and are never given twice`(
    _ engine: StoreCase
  ) async throws {
    let store = CountingStore(try engine.make())
    func numbers(_ node: Int) -> SendbirdNumbers {
      SendbirdNumbers("message", in: store, on: SerialTestExecutor(), sharedAs: NodeBoot(node: node, boot: 0))
    }
    let nodes = [numbers(0), numbers(1), numbers(63)]
    var last: Int64 = 0
    for round in 0..<3_000 {
      if round == 3 { store.reset() }
      let number = try await nodes[round % 3].take(after: last, at: now)
      #expect(number > last && number <= last + 192_000)
      last = number
    }
    #expect(store.trips <= 20)
    // Each alone, where none needs to go on behind another.
    var known: Set<Int64> = []
    for node in nodes { for _ in 0..<1_500 { #expect(known.insert(try await node.take(at: now)).inserted) } }
    // Another life of a node, and a process without others.
    let next = numbers(1)
    let alone = SendbirdNumbers("message", in: store, on: SerialTestExecutor())
    for numbers in [next, alone] {
      for _ in 0..<1_500 { #expect(known.insert(try await numbers.take(at: now)).inserted) }
    }
  }

  @Test(arguments: StoreCase.all)
  func `a damaged row of numbers ends nothing, and numbers still rise`(_ engine: StoreCase) async throws {
    let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, 1 << 59, .max - 1, .max]
    for last in numbers {
      for (common, end) in [(Int64.min, Int64.max), (.max, .min), (.max - 1, .max), (.min, 0), (5, 5)] {
        let store = try engine.make()
        let one = SendbirdNumbers("message", in: store, on: SerialTestExecutor(), sharedAs: NodeBoot(node: 63, boot: 0))
        let row = SendbirdNumberRow(last: last, common: common, commonEnd: end)
        try await store.transact(at: now) {
          (transaction: inout StoreTransaction<StoreError>) async throws(StoreError) in
          transaction.put(one.key, row)
        }
        let first = try await one.take(after: 7, at: now)
        let second = try await one.take(after: first + 1, at: now)
        // A number that another node gave, far ahead of its own.
        let third = try await one.take(after: second + 5_000, at: now)
        #expect(first > 7 && second > first + 1 && third > second + 5_000)
      }
    }
  }

  @Test(arguments: StoreCase.all)
  func `numbers of one process follow one another, and go on behind any other number`(
    _ engine: StoreCase
  ) async throws {
    let numbers = SendbirdNumbers("message", in: try engine.make(), on: SerialTestExecutor())
    var taken: [Int64] = []
    for _ in 0..<3 { taken.append(try await numbers.take(at: now)) }
    #expect(taken == [1, 2, 3])
    #expect(try await numbers.take(after: 10, at: now) == 11)
    #expect(try await numbers.take(after: 5, at: now) == 12)
    #expect(try await numbers.take(after: 5_000, at: now) == 5_001)
    #expect(try await numbers.take(at: now) == 5_002)
  }
}
