internal import GatewayCore

// What sessions, operators and the token provider tell, as the journal keeps it.

extension JournalEvent {
  /// What a session that now has `grant` has told. Its end is told where the codes are known: nil.
  init?(_ record: SessionRecord, _ grant: Grant?) {
    switch record {
    case .loggedIn(let kind, _): self = .loggedIn(JournalGrant(grant), kind)
    case .loginRefused(let error): self = .loginRefused(JournalError(error))
    case .refreshRequested(let cause): self = .refreshRequested(cause)
    case .refreshed(let duration):
      self = .refreshed(JournalGrant(grant), after: JournalDelay(duration))
    case .refreshRefused(let error): self = .refreshRefused(JournalError(error))
    case .malformed(let error): self = .malformed(JournalError(error))
    case .ended: return nil
    }
  }

  /// What an operator wants of a session; nil if that is not what the event is.
  init?(order event: SessionEvent) {
    switch event {
    case .expireNow: self = .ordered(.expire)
    case .askForRefresh: self = .ordered(.refresh)
    case .disconnect: self = .ordered(.disconnect)
    case .drain: self = .ordered(.drain)
    case .revoked: self = .revoked
    case .received, .malformed, .verified, .renewed, .wakeUp, .slowConsumer, .peerSilent, .peerClosed,
      .transportLost:
      return nil
    }
  }

  init(_ record: ProviderRecord) {
    self =
      switch record {
      case .asked: .providerAsked
      case .minted: .providerMinted
      case .failed(let error): .providerFailed(JournalError(error))
      case .refused(let error): .providerRefused(JournalError(error))
      }
  }
}
