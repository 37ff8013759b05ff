package import GatewayCore

/// One dialect's share of the metrics: logins, refreshes, ends and others by dialect.
package struct DialectMetrics: Hashable, Sendable {
  /// The name of the dialect, `Dialect.name`.
  package let dialect: String
  package var connectionsOpened: UInt64 = 0
  package var upgradesRefused = Counter<String>()
  package var connectionsEnded = Counter<String>()
  package var logins = CaseCounter<UserKind>()
  package var loginsRefused = Counter<String>()
  package var refreshesRequested = CaseCounter<RefreshCause>()
  package var refreshesAccepted = CaseCounter<RefreshOrigin>()
  package var refreshesRefused = Counter<String>()
  package var malformedMessages = Counter<String>()
  package var messagesReceived: UInt64 = 0
  package var messagesSent: UInt64 = 0
  package var bytesReceived: UInt64 = 0
  package var bytesSent: UInt64 = 0
  /// From the accepted descriptor to the answered upgrade.
  package var connectDuration = Histogram()
  /// From the open socket to the accepted token.
  package var loginDuration = Histogram()
  /// From the refresh request to the accepted token.
  package var refreshDuration = Histogram()

  package init(dialect: String) {
    self.dialect = dialect
  }

  /// The names under which ends are counted; `ended(_:)` makes no other.
  package static let reasons = CloseReason.all.map(\.name) + [otherReason]
  private static let reasonNames = Set(reasons)
  private static let otherReason = "other"

  package mutating func record(_ record: SessionRecord) {
    switch record {
    case .loggedIn(let kind, let duration):
      logins.add(kind)
      loginDuration.record(duration)
    case .loginRefused(let error):
      loginsRefused.add(error.name)
    case .refreshRequested(let cause):
      refreshesRequested.add(cause)
    case .refreshed(let duration):
      refreshesAccepted.add(duration == nil ? .unasked : .asked)
      if let duration { refreshDuration.record(duration) }
    case .refreshRefused(let error):
      refreshesRefused.add(error.name)
    case .malformed(let error):
      malformedMessages.add(error.name)
    case .ended(let reason):
      // An operator may name a reason; a label must not grow with what operators say.
      connectionsEnded.add(Self.reasonNames.contains(reason.name) ? reason.name : Self.otherReason)
    }
  }

  package mutating func merge(_ other: DialectMetrics) {
    connectionsOpened += other.connectionsOpened
    upgradesRefused.merge(other.upgradesRefused)
    connectionsEnded.merge(other.connectionsEnded)
    logins.merge(other.logins)
    loginsRefused.merge(other.loginsRefused)
    refreshesRequested.merge(other.refreshesRequested)
    refreshesAccepted.merge(other.refreshesAccepted)
    refreshesRefused.merge(other.refreshesRefused)
    malformedMessages.merge(other.malformedMessages)
    messagesReceived += other.messagesReceived
    messagesSent += other.messagesSent
    bytesReceived += other.bytesReceived
    bytesSent += other.bytesSent
    connectDuration.merge(other.connectDuration)
    loginDuration.merge(other.loginDuration)
    refreshDuration.merge(other.refreshDuration)
  }
}

/// The origin of an accepted refresh: requested by the gateway, or begun by the client.
package enum RefreshOrigin: String, Hashable, Sendable, CaseIterable {
  case asked, unasked
}

/// A family of counts by one label.
package struct Counter<Label: Hashable & Sendable>: Hashable, Sendable {
  package private(set) var values: [Label: UInt64] = [:]

  package init() {}

  package mutating func add(_ label: Label) {
    values[label, default: 0] += 1
  }

  package var total: UInt64 { values.values.reduce(0, +) }

  mutating func merge(_ other: Counter) {
    values.merge(other.values, uniquingKeysWith: +)
  }
}
