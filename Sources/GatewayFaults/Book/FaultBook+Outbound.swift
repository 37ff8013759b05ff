package import GatewayCore
package import GatewayRuntime

// What is sent to the application's own servers, with every possible fault.

extension FaultBook: OutboundObjector {
  package nonisolated(nonsending) func fate(
    of question: OutboundQuestion, until end: Instant
  ) async -> OutboundFate {
    let subject = FaultSubject(
      user: question.user, kind: question.kind, dialect: question.dialect.map { Name($0) },
      expiresIn: question.expiresAt.map { $0 - loop.wallTime }, connection: number(of: question.connection))
    let found = befallen((any AnswerFault).self, of: subject, question.connection) { fault, _ in
      fault.places.takesIn(question.place)
    }
    guard let (fault, standing) = found else { return .asked }
    let network = loop.transport
    let purpose = "the fault \(standing.word)"
    switch fault.harm {
    case .answered(let response): return .answered(response)
    case .altered(let alter): return .altered(alter)
    case .late(let duration):
      _ = await waits.wait(
        until: min(end, network.now + duration), on: network, as: purpose, because: standing.number)
      return .asked
    case .unanswered:
      return await waits.wait(until: end, on: network, as: purpose, because: standing.number) ? .unanswered : .asked
    }
  }

  /// Has the gateway ask for keys at once, and again when the fault ends.
  func begin(_ fault: StandingFault) {
    keysChanged?()
    if fault.ends != .distantFuture { setAlarm(for: fault, at: fault.ends) }
  }

  package func harm(toWebhookOf vendor: String) -> WebhookHarm? {
    let place = OutboundPlace(.webhook, vendor)
    return fault((any WebhookFault).self, of: FaultSubject()) { $0.places.takesIn(place) }?.harm
  }
}

extension StandingFault {
  /// Whether it affects an issuer's keys.
  var isOfKeys: Bool { (order.fault as? any OutboundFault)?.places.isOfKeys ?? false }
}
