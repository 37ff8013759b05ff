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
    caller.begin(Array(zip(tables.map(\.loop.transport), dialers)), names: names, traces: traces)
    await beginSending()
    if let introspector {
      introspector.begin(
        by: caller, log: gateway.configuration.log, sessions: LiveSessions(of: gateway), on: tables[0].loop)
      for table in tables { await table.perform { introspector.prepare(on: $0.loop.transport) } }
    }
    if let hooks {
      for table in tables { await table.perform { hooks.prepare(on: $0.loop.transport) } }
    }
    webhooks?.begin()
    try await fetch(issuers, patience: patience)
  }

  /// Begins to fetch the keys of issuers, all at once. Throws a failure of one that no later answer can change, or of one
  /// without keys if all `mustAnswer`; then none is asked any more.
  private func fetch(
    _ issuers: [FetchedIssuer], patience: Duration, mustAnswer: Bool = false
  ) async throws(OutboundFailure) {
    let loop = gateway.tables[0].loop
    let begun = issuers.map { fetcher(of: $0, on: loop) }
    let stage = LoopStage(loop: loop)
    let failures = await stage.perform {
      let waiting = begun.map { fetcher in stage.begin { await fetcher.begin(patience: patience) } }
      var failures: [OutboundFailure?] = []
      for wait in waiting { failures.append(await wait.value) }
      guard mustAnswer else { return failures }
      return zip(issuers, failures).map { issuer, failure in failure ?? (issuer.isReady ? nil : Self.silence(issuer)) }
    }
    for (fetcher, failure) in zip(begun, failures) {
      guard var failure else { continue }
      await stage.perform { for fetcher in begun { fetcher.end() } }
      failure.endpoint = fetcher.issuer.settings.name
      throw failure
    }
    fetchers.withLock { $0 += begun }
  }

  /// Has the keys of all issuers fetched now. Only on the first loop.
  func fetchKeysAgain() {
    for fetcher in fetchers.withLock({ $0 }) { fetcher.fetchAgain() }
  }

  /// The application's own servers that something is sent to, with these settings.
  func outboundPlaces(_ settings: SpaceSettings) -> [OutboundPlace] {
    (settings.hooks?.names ?? []).map { OutboundPlace(.hook, $0) }
      + issuers.map { OutboundPlace(.keys, $0.settings.name) }
      + (introspector == nil ? [] : [OutboundPlace(.introspection)])
      + (webhooks?.vendors ?? []).map { OutboundPlace(.webhook, $0) }
  }

  private static func silence(_ issuer: FetchedIssuer) -> OutboundFailure {
    OutboundFailure(
      "issuer \(issuer.settings.name) gave no keys in time; the log has the reason (jwks_failed)", .unreachable)
  }

  private func fetcher(of issuer: FetchedIssuer, on loop: EventLoop) -> KeyFetcher {
    KeyFetcher(of: issuer, on: loop, by: caller, keeper: keys, log: gateway.configuration.log) {
      [tables = gateway.tables] body in
      Self.afterEveryLoop(of: tables, body)
    }
  }

  /// Calls `body` once every loop has run what it runs now.
  private static func afterEveryLoop(of tables: [LoopTable], _ body: @escaping @Sendable () -> Void) {
    let left = Countdown(tables.count)
    for table in tables { table.loop.execute { if left.isLast { body() } } }
  }

  /// Fetches the keys of issuers that are new in `fresh`, which were read anew. Nothing else changes before
  /// ``change(_:)``. Returns nil if there is nothing to change. Throws if a new one gives no keys, so that a gateway that is
  /// ready stays so.
  func prepareLogin(for fresh: LoginIssuers?) async throws(OutboundFailure) -> LoginIssuers.Change? {
    guard let identity, let fresh, identity.mayChange else { return nil }
    let change = identity.change(to: fresh)
    identity.reserve(for: change)
    do throws(OutboundFailure) {
      try await fetch(change.added, patience: .seconds(3), mustAnswer: true)
    } catch {
      identity.reservePresent()
      throw error
    }
    return change
  }

  /// Puts a prepared change in force. Issuers that have not changed stay as they are.
  func change(_ change: LoginIssuers.Change) async {
    guard let identity else { return }
    Self.afterEveryLoop(of: gateway.tables, identity.make(change))
    await end(change.removed)
  }

  /// Leaves everything as it was before ``prepareLogin(for:)``.
  func cancel(_ change: LoginIssuers.Change) async {
    identity?.reservePresent()
    await end(change.added)
  }

  /// Ends the fetches for issuers, and drops their keys.
  private func end(_ issuers: [FetchedIssuer]) async {
    let ended = fetchers.withLock { fetchers in
      let ended = fetchers.filter { fetcher in issuers.contains { $0 === fetcher.issuer } }
      fetchers.removeAll { fetcher in ended.contains { $0 === fetcher } }
      return ended
    }
    await LoopStage(loop: gateway.tables[0].loop).perform { for fetcher in ended { fetcher.end() } }
  }

  /// Waits until the vendors' webhooks are delivered or given up, for at most `patience`.
  package func finishWebhooks(within patience: Duration) async { await webhooks?.finish(within: patience) }

  /// Whether it sends requests to outside servers.
  package var asksOutside: Bool {
    !issuers.isEmpty || introspector != nil || hooks != nil || webhooks != nil || telemetry != nil
  }

  /// The issuers with fetched keys.
  package var issuers: [FetchedIssuer] {
    (identity?.issuers ?? []) + (signals.transmitter.map { [$0] } ?? [])
  }

  /// The issuers whose keys have never been read, so that their users cannot log in.
  package var issuersWithoutKeys: [String] {
    identity?.issuers.filter { !$0.isReady }.map(\.settings.name) ?? []
  }
}

/// A count of the tasks that are not done yet.
private final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) { left = Atomic(count) }

  /// Counts one, and returns whether it was the last.
  var isLast: Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
