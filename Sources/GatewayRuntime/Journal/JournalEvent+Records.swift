package import GatewayCore

// The journal's form of what sessions, operators and the token provider report.

extension SessionRecord {
  /// Returns the journal's event for what a session with `grant` reported; nil for its end, which is written where the codes
  /// are known.
  func journalEvent(of grant: Grant?) -> JournalEvent? {
    switch self {
    case .loggedIn(let kind, _): .loggedIn(JournalGrant(grant), kind)
    case .loginRefused(let error): .loginRefused(JournalError(error))
    case .refreshRequested(let cause): .refreshRequested(cause)
    case .refreshed(let duration): .refreshed(JournalGrant(grant), after: JournalDelay(duration))
    case .refreshRefused(let error): .refreshRefused(JournalError(error))
    case .malformed(let error): .malformed(JournalError(error))
    case .ended: nil
    }
  }
}

extension SessionEvent {
  /// The operator's order that the event is; nil for any other event.
  var order: JournalEvent? {
    switch self {
    case .expireNow: .ordered(.expire)
    case .askForRefresh: .ordered(.refresh)
    case .disconnect: .ordered(.disconnect)
    case .drain: .ordered(.drain)
    case .revoked: .revoked
    case .received, .malformed, .verified, .renewed, .wakeUp, .slowConsumer, .peerSilent, .peerClosed, .transportLost:
      nil
    }
  }
}

extension JournalEvent {
  package init(_ record: ProviderRecord) {
    self =
      switch record {
      case .asked: .providerAsked
      case .minted: .providerMinted
      case .failed(let error): .providerFailed(JournalError(error))
      case .refused(let error), .limited(let error), .banned(let error), .denied(let error):
        .providerRefused(JournalError(error))
      }
  }
}
