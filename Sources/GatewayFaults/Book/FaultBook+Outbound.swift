package import GatewayCore
package import GatewayRuntime

// The questions to the application's backend with every possible fault.

extension FaultBook: OutboundObjector {
  package nonisolated(nonsending) func fate(
    of question: OutboundQuestion, until end: Instant
  ) async -> OutboundFate {
    let subject = FaultSubject(
      user: question.user, kind: question.kind, dialect: Name(question.dialect),
      expiresIn: question.expiresAt.map { $0 - loop.wallTime }, connection: number(of: question.connection))
    let found = befallen((any OutboundFault).self, of: subject, question.connection) { fault, _ in
      fault.hooks.takesIn(question.endpoint)
    }
    guard let (fault, standing) = found else { return .asked }
    let network = loop.transport
    let purpose = "the fault \(standing.word)"
    switch fault.harm {
    case .answered(let response): return .answered(response)
    case .late(let duration):
      _ = await waits.wait(
        until: min(end, network.now + duration), on: network, as: purpose, because: standing.number)
      return .asked
    case .unanswered:
      return await waits.wait(until: end, on: network, as: purpose, because: standing.number) ? .unanswered : .asked
    }
  }
}
