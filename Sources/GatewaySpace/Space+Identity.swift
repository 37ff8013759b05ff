package import GatewayIdentity
package import GatewayRuntime
internal import Synchronization

extension Space {
  /// Begins to fetch the keys of the application's own login and of the transmitter of events, where there are any, and waits
  /// for the first, for at most `patience`. Before anything listens. Throws a failure that no later answer will mend.
  ///
  /// - Parameters:
  ///   - dialer: The dialer of the first loop.
  ///   - resolve: The name service; nil if the dialer needs none.
  package func fetchKeys(
    by dialer: any Dialer, resolve: KeyFetcher.Resolver?, patience: Duration = .seconds(10)
  ) async throws(KeyFailure) {
    let tables = gateway.tables
    for issuer in issuers {
      let fetcher = KeyFetcher(
        of: issuer, on: tables[0].loop, by: dialer, resolve: resolve, keeper: keys, log: gateway.configuration.log
      ) { body in
        let left = Countdown(tables.count)
        for table in tables { table.loop.execute { if left.isLast { body() } } }
      }
      let failure = await LoopStage(loop: tables[0].loop).perform { await fetcher.begin(patience: patience) }
      if var failure {
        failure.issuer = issuer.settings.name
        throw failure
      }
    }
  }

  /// Those whose keys are fetched.
  package var issuers: [FetchedIssuer] {
    [identity, signals.transmitter].compactMap(\.self)
  }

  /// The issuers whose keys have never been read, so that their users cannot log in.
  package var issuersWithoutKeys: [String] {
    identity.map { $0.isReady ? [] : [$0.settings.name] } ?? []
  }
}

/// A count of those that have yet to do something.
private final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) { left = Atomic(count) }

  /// Counts one, and returns whether it was the last.
  var isLast: Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
