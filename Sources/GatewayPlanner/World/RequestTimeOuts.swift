internal import GatewayCore

/// The timeouts of one fleet's requests to the provider, in order, since all have the same length.
struct RequestTimeOuts {
  private var timeOuts: [(at: Int64, place: UInt32)] = []
  private var first = 0
  /// The time of the last timeout.
  private(set) var last: Int64 = 0
  /// The number of timeouts at which answered requests are removed.
  private var countMax: Int

  private static let spare = 1 << 16

  /// Creates the timeouts of that many clients.
  init(clients: Int) {
    countMax = clients + Self.spare
  }

  mutating func add(_ place: UInt32, at instant: Int64) {
    timeOuts.append((instant, place))
    last = instant
  }

  /// Makes room for another timeout: removes answered requests and their timeouts if there are too many. Clients with a
  /// long timeout that are refused at once, again and again, would otherwise leave one for each try.
  mutating func makeRoom(in requests: inout ChunkedPool<TokenRequest>) {
    guard timeOuts.count - first >= countMax else { return }
    var kept: [(at: Int64, place: UInt32)] = []
    for timeOut in timeOuts[first...] {
      if requests[timeOut.place].isAnswered { requests.remove(timeOut.place) } else { kept.append(timeOut) }
    }
    timeOuts = kept
    first = 0
    countMax = max(countMax, 2 * kept.count)
  }

  var next: Int64? { first < timeOuts.count ? timeOuts[first].at : nil }

  mutating func take() -> UInt32 {
    let place = timeOuts[first].place
    first += 1
    if first > 4096 && first * 2 > timeOuts.count {
      timeOuts.removeFirst(first)
      first = 0
    }
    return place
  }
}
