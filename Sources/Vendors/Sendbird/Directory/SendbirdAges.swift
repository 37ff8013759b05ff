internal import GatewayCore
internal import GatewayKit

/// The rows of a table by their age, so that the oldest give way where it is full: the messages of an application, for
/// instance.
struct SendbirdAges: Sendable {
  private let table: StoreTable<SendbirdAgeRow>
  private let store: any Store

  /// The ages of that name.
  init(_ name: String, in store: any Store) {
    table = StoreTable(name)
    self.store = store
  }

  /// Where it stands that the row of that number is there: the smaller, the older.
  func key(_ number: Int64) -> StoreKey {
    table.key(Self.text(number))
  }

  /// The oldest, at most `count`.
  func oldest(_ count: Int, at now: WallTime) async throws(StoreError) -> [SendbirdAgeRow] {
    guard count > 0 else { return [] }
    return try await store.scan(table.range(), limit: count, at: now).map {
      (entry) throws(StoreError) in try entry.value(as: SendbirdAgeRow.self)
    }
  }

  /// A number, not negative, as a part of a key: in the order of the numbers.
  static func text(_ number: Int64) -> String {
    let digits = String(max(0, number), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The same, so that the greatest comes first.
  static func textFromLast(_ number: Int64) -> String {
    text(.max - max(0, number))
  }

  /// Does `body` again, with more and more of the oldest to give way, as long as `count` is full.
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

/// The key, in its parts, of a row whose age is noted: a channel and a message's number, for instance.
struct SendbirdAgeRow: StoreValue {
  var number: Int64
  var parts: [String]
}
