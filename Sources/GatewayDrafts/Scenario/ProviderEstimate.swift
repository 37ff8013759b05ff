/// The token endpoint of a recording: how long its answers took, how many it made at once, and how often it failed.
struct ProviderEstimate {
  /// The requests to it, the refused and the failed ones among them.
  private(set) var calls = 0
  private(set) var failed = 0
  private(set) var refused = 0
  /// The least and the most time of an answer in milliseconds, but for the fastest and the slowest twentieth; nil if it is not
  /// known.
  private(set) var latency: ClosedRange<Int64>?
  /// The most requests at one time.
  private(set) var atOnce = 0

  /// A range that is narrower is one number.
  private static let narrow = 1.25

  init(_ calls: [Traffic.Call]) {
    let routes = Set(calls.lazy.filter(\.isOfToken).map(\.route))
    var took: [Int64] = []
    var edges: [(at: Int64, change: Int)] = []
    for call in calls where routes.contains(call.route) {
      self.calls += 1
      switch call.status {
      case 200..<400: break
      case 400..<500 where call.status != 429: refused += 1
      default: failed += 1
      }
      guard let time = call.took else { continue }
      if (200..<400).contains(call.status) { took.append(time) }
      edges += [(call.answeredAt - time, 1), (call.answeredAt, -1)]
    }
    var present = 0
    // A request that begins in the millisecond in which another ends is counted beside it.
    for edge in edges.sorted(by: { ($0.at, -$0.change) < ($1.at, -$1.change) }) {
      present += edge.change
      atOnce = max(atOnce, present)
    }
    took.sort()
    guard !took.isEmpty else { return }
    let (least, most) = (took[(took.count - 1) / 20], took[(took.count - 1) * 19 / 20])
    let middle = took[(took.count - 1) / 2]
    let isNarrow = took.count < 10 || Double(most) <= Double(max(1, least)) * Self.narrow
    latency = isNarrow ? middle...middle : least...most
  }

  var failureRate: Double { calls == 0 ? 0 : Double(failed) / Double(calls) }
}
