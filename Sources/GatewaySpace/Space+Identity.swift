package import GatewayIdentity
package import GatewayRuntime
internal import Synchronization

extension Space {
  /// Begins to ask the application's own servers, where there are any: fetches the keys of its login and of the transmitter of
  /// events, and waits for the first, for at most `patience`. Before anything listens. Throws a failure that no later answer
  /// can change.
  ///
  /// - Parameters:
  ///   - dialers: The dialer of each loop.
  ///   - names: The name service; nil if the dialers need none.
  package func beginAsking(
    by dialers: [any Dialer], names: NameBook?, patience: Duration = .seconds(10)
  ) async throws(OutboundFailure) {
    let tables = gateway.tables
    caller.begin(Array(zip(tables.map(\.loop.transport), dialers)), names: names)
    if let introspector {
      introspector.begin(
        by: caller, log: gateway.configuration.log, sessions: LiveSessions(of: gateway), on: tables[0].loop)
      for table in tables { await table.perform { introspector.prepare(on: $0.loop.transport) } }
    }
    for issuer in issuers {
      let fetcher = KeyFetcher(
        of: issuer, on: tables[0].loop, by: caller, keeper: keys, log: gateway.configuration.log
      ) { body in
        let left = Countdown(tables.count)
        for table in tables { table.loop.execute { if left.isLast { body() } } }
      }
      let failure = await LoopStage(loop: tables[0].loop).perform { await fetcher.begin(patience: patience) }
      if var failure {
        failure.endpoint = issuer.settings.name
        throw failure
      }
    }
  }

  /// Whether it asks anybody outside.
  package var asksOutside: Bool { !issuers.isEmpty || introspector != nil }

  /// The issuers with fetched keys.
  package var issuers: [FetchedIssuer] {
    [identity, signals.transmitter].compactMap(\.self)
  }

  /// The issuers whose keys have never been read, so that their users cannot log in.
  package var issuersWithoutKeys: [String] {
    identity.map { $0.isReady ? [] : [$0.settings.name] } ?? []
  }
}

/// A count of the tasks that are not done yet.
private final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) { left = Atomic(count) }

  /// Counts one, and returns whether it was the last.
  var isLast: Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
