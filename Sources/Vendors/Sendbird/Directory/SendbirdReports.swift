internal import GatewayCore
internal import GatewayKit

/// A report of misuse to the application's owner.
struct SendbirdReport: Hashable, StoreValue {
  /// The number that the directory assigns, increasing.
  var number: Int64 = 0
  var category: String
  var description: String
  /// The reporting user; nil if a server names none.
  var reporter: UserID?
  /// The reported user; nil for a report of a channel.
  var offender: UserID?
  /// The reported channel, or the channel of the reported message; nil for a report of a user.
  var channel: Name?
  var kind: SendbirdChannel.Kind?
  var message: Int64?
  var at: WallTime

  init(category: String, description: String, at now: WallTime) {
    self.category = category
    self.description = description
    at = now
  }
}

/// The reports of an application's users, which servers can list. Bounded: the oldest are removed.
struct SendbirdReports: Sendable {
  private typealias Transaction = StoreTransaction<StoreOr<GatewayError>>

  private static let reports = StoreTable<SendbirdReport>("sendbird.report")

  private let store: any Store
  private let numbers: SendbirdNumbers
  private let count: StoreCount

  /// Creates a directory in `store`, with room for `max` reports.
  init(_ store: any Store, on executor: any SerialExecutor, max: Int = 10_000) {
    self.store = store
    numbers = SendbirdNumbers("report", in: store, on: executor)
    count = StoreCount("sendbird.reports", atMost: max, of: "reports")
  }

  func add(_ report: SendbirdReport, at now: WallTime) async throws(GatewayError) {
    try await SendbirdAges.makingRoom(in: count) { (givingWay) async throws(StoreOr<GatewayError>) in
      try await store.transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<GatewayError>) in
        do throws(StoreError) {
          if givingWay > 0 {
            for entry in try await store.scan(Self.reports.range().backwards, limit: givingWay, at: now) {
              transaction.delete(StoreKey(path: entry.path, type: SendbirdReport.self))
            }
          }
          var report = report
          report.number = try await numbers.take(at: now)
          // The keys of earlier versions have no time, and come last.
          let place = [report.at.nanoseconds, report.number].map { SendbirdAges.textFromLast($0) }
          transaction.put(Self.reports.key(place[0], place[1]), report, in: [count])
        } catch {
          throw .store(error)
        }
      }
    }
  }

  /// Returns a page of the matching reports, newest first, and the start of the next page; nil on the last page.
  func reports(
    from start: Int, limit: Int, at now: WallTime, where isMeant: (SendbirdReport) -> Bool
  ) async throws(GatewayError) -> (reports: [SendbirdReport], next: Int?) {
    do throws(StoreError) {
      let all = try await store.scan(Self.reports.range(), limit: count.atMost, at: now)
      let reports = try all.map { (entry) throws(StoreError) in try entry.value(as: SendbirdReport.self) }
      // Nodes number reports in orders of their own.
      let found = reports.filter(isMeant).sorted { ($0.at, $0.number) > ($1.at, $1.number) }
      let page = Array(found.dropFirst(start).prefix(limit))
      return (page, start < found.count - page.count ? start + page.count : nil)
    } catch {
      throw GatewayError(error)
    }
  }
}
