internal import GatewayCore
internal import GatewayKit

/// An index of a table's rows by age, used to remove the oldest when it is full.
struct SendbirdAges: Sendable {
  private let table: StoreTable<SendbirdAgeRow>
  private let store: any Store

  /// Creates the index with that name.
  init(_ name: String, in store: any Store) {
    table = StoreTable(name)
    self.store = store
  }

  /// Returns the index key of a row: smaller is older. The number decides between rows of one time, since each node has an order
  /// of its own.
  func key(_ number: Int64, at time: WallTime) -> StoreKey {
    table.key(Self.text(time.nanoseconds), Self.text(number))
  }

  /// Returns the index keys that the row may have. Earlier versions used the number alone, which is less than any time.
  func keys(_ number: Int64, at time: WallTime?) -> [StoreKey] {
    [table.key(Self.text(number))] + (time.map { [key(number, at: $0)] } ?? [])
  }

  /// Returns the index key of a row that ``oldest(_:at:)`` returned.
  func key(of row: SendbirdAgeRow) -> StoreKey {
    row.at.map { key(row.number, at: $0) } ?? table.key(Self.text(row.number))
  }

  /// Returns the oldest rows, at most `count`.
  func oldest(_ count: Int, at now: WallTime) async throws(StoreError) -> [SendbirdAgeRow] {
    guard count > 0 else { return [] }
    return try await store.scan(table.range(), limit: count, at: now).map {
      (entry) throws(StoreError) in try entry.value(as: SendbirdAgeRow.self)
    }
  }

  /// Returns a non-negative number as a key part that sorts like the number.
  static func text(_ number: Int64) -> String {
    let digits = String(max(0, number), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Returns a non-negative number as a key part that sorts the greatest first.
  static func textFromLast(_ number: Int64) -> String {
    text(.max - max(0, number))
  }

  /// Repeats `body` with more and more of the oldest rows to remove, as long as `count` is full.
  static func makingRoom<Answer, Failure: StoreFailure>(
    in count: StoreCount, _ body: (_ givingWay: Int) async throws(StoreOr<Failure>) -> Answer
  ) async throws(Failure) -> Answer {
    var givingWay = 0
    while true {
      do throws(StoreOr<Failure>) {
        return try await body(givingWay)
      } catch .store(.full(let full)) where full.path == count.path && givingWay < count.atMost {
        givingWay = max(1, 2 * givingWay)
      } catch {
        throw error.failure
      }
    }
  }
}

/// The key, in its parts, of an indexed row.
struct SendbirdAgeRow: StoreValue {
  var number: Int64
  /// Nil in rows of earlier versions.
  var at: WallTime?
  var parts: [String]
}
