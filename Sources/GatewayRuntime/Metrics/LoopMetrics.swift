package import GatewayCore

/// One loop's share of the figures: counted without a lock, merged when somebody asks.
///
/// Labels are bounded: names come from the catalogues of errors and reasons, from the routes and from the dialects,
/// never from a peer.
package struct LoopMetrics: Hashable, Sendable {
  package var connectionsOpened = Counter()
  package var upgradesRefused = Counter()
  package var connectionsEnded = Counter()
  package var logins = Counter()
  package var loginsRefused = Counter()
  package var refreshesRequested = Counter()
  package var refreshesAccepted = Counter()
  package var refreshesRefused = Counter()
  package var malformedMessages = Counter()
  package var httpRequests = Counter()
  package var messagesReceived: UInt64 = 0
  package var messagesSent: UInt64 = 0
  package var bytesReceived: UInt64 = 0
  package var bytesSent: UInt64 = 0
  /// Tokens that an operator let expire, and whose early end could not be remembered.
  package var expiriesForgotten: UInt64 = 0
  /// From the accepted descriptor to the answered upgrade.
  package var connectDuration = Histogram()
  /// From the open socket to the accepted token.
  package var loginDuration = Histogram()
  /// From the refresh request to the accepted token.
  package var refreshDuration = Histogram()
  package var httpDuration = Histogram()

  package init() {}

  /// A family of counts, told apart by one label.
  package struct Counter: Hashable, Sendable {
    package private(set) var values: [String: UInt64] = [:]

    package mutating func add(_ label: String) {
      values[label, default: 0] += 1
    }

    package var total: UInt64 { values.values.reduce(0, +) }

    mutating func merge(_ other: Counter) {
      values.merge(other.values, uniquingKeysWith: +)
    }
  }

  private static let reasonNames = Set(CloseReason.all.map(\.name))

  package mutating func record(_ record: SessionRecord) {
    switch record {
    case .loggedIn(let kind, let duration):
      logins.add(kind.rawValue)
      loginDuration.record(duration)
    case .loginRefused(let error):
      loginsRefused.add(error.name)
    case .refreshRequested(let cause):
      refreshesRequested.add(cause.rawValue)
    case .refreshed(let duration):
      refreshesAccepted.add(duration == nil ? "unasked" : "asked")
      if let duration { refreshDuration.record(duration) }
    case .refreshRefused(let error):
      refreshesRefused.add(error.name)
    case .malformed(let error):
      malformedMessages.add(error.name)
    case .ended(let reason):
      // An operator may name a reason; a label must not grow with what operators say.
      connectionsEnded.add(Self.reasonNames.contains(reason.name) ? reason.name : "other")
    }
  }

  package mutating func merge(_ other: LoopMetrics) {
    connectionsOpened.merge(other.connectionsOpened)
    upgradesRefused.merge(other.upgradesRefused)
    connectionsEnded.merge(other.connectionsEnded)
    logins.merge(other.logins)
    loginsRefused.merge(other.loginsRefused)
    refreshesRequested.merge(other.refreshesRequested)
    refreshesAccepted.merge(other.refreshesAccepted)
    refreshesRefused.merge(other.refreshesRefused)
    malformedMessages.merge(other.malformedMessages)
    httpRequests.merge(other.httpRequests)
    messagesReceived += other.messagesReceived
    messagesSent += other.messagesSent
    bytesReceived += other.bytesReceived
    bytesSent += other.bytesSent
    expiriesForgotten += other.expiriesForgotten
    connectDuration.merge(other.connectDuration)
    loginDuration.merge(other.loginDuration)
    refreshDuration.merge(other.refreshDuration)
    httpDuration.merge(other.httpDuration)
  }
}
