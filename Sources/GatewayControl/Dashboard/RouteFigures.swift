internal import GatewayCore
internal import GatewayRuntime

/// The figures of a proxy's route for its dashboard, counted from its journal and its sessions while a watcher is
/// there.
///
/// `@unchecked Sendable`: used only on the route's loop.
final class RouteFigures: @unchecked Sendable {
  private let route: any Controllable
  private var metrics: DialectMetrics
  /// The number of the last line that is counted.
  private var last: UInt64 = 0

  /// How many codes are counted one by one.
  private static let endsMax = 64
  private static let other = "other"

  init(of route: any Controllable) {
    self.route = route
    metrics = DialectMetrics(dialect: route.dialectNames.first ?? "")
  }

  /// Returns a reading. Its totals exclude events that the journal has lost.
  func reading() async -> DashboardText {
    let loop = route.controlLoop
    count()
    let sessions = await route.sessions(SessionChoice(), after: nil, limit: .max)
    var text = DashboardText(
      now: loop.wallTime, uptime: route.journal?.age ?? .zero, horizonBegin: loop.wallTime)
    text.metrics = [metrics]
    var (phases, kinds) = ([String: UInt64](), [UserKind: UInt64]())
    for session in sessions {
      phases[session.phase, default: 0] += 1
      if let kind = session.kind { kinds[kind, default: 0] += 1 }
      guard let left = session.expiresIn?.inSeconds else { continue }
      if left < 0 {
        text.horizon.overdue += 1
      } else if left < Double(HorizonReading.secondsMax) {
        text.horizon.seconds[Int(left)] += 1
      } else {
        text.horizon.later += 1
      }
    }
    text.phases = [(metrics.dialect, phases.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })]
    text.kinds = [(metrics.dialect, UserKind.allCases.compactMap { kind in kinds[kind].map { (kind, $0) } })]
    return text
  }

  private func count() {
    guard let journal = route.journal else { return }
    while last < journal.last {
      let page = journal.page(Journal.Query(after: last))
      for line in page.lines { count(line.event) }
      guard page.next > last else { return }
      last = page.next
    }
  }

  private func count(_ event: JournalEvent) {
    switch event {
    case .connectionOpened: metrics.connectionsOpened += 1
    case .loggedIn(_, let kind): metrics.logins.add(kind)
    case .loginRefused(let error): metrics.loginsRefused.add(error.name ?? Self.other)
    case .refreshRequested(let cause): metrics.refreshesRequested.add(cause)
    case .refreshed(_, let after):
      metrics.refreshesAccepted.add(after.milliseconds == nil ? .unasked : .asked)
      if let time = after.milliseconds { metrics.refreshDuration.record(.milliseconds(time)) }
    case .refreshRefused(let error): metrics.refreshesRefused.add(error.name ?? Self.other)
    case .closed(let close, _): metrics.connectionsEnded.add(name(of: close))
    default: break
    }
  }

  /// Returns the reason's name, or the code of an end that only the gateway behind the proxy has a name for.
  private func name(of close: JournalClose) -> String {
    guard close.reason == Self.other else { return close.reason }
    let name = String(close.code)
    let ends = metrics.connectionsEnded.values
    return ends[name] != nil || ends.count < Self.endsMax ? name : Self.other
  }
}
