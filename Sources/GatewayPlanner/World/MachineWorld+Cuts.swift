internal import GatewayCore
internal import GatewayFleet

// Loops that the planner cuts, to see which keeps a fleet down.

extension MachineWorld {
  /// Begins the cut.
  mutating func cutLoop() {
    guard let cut = settings.cut else { return }
    lostBeforeCut = (0..<started).count { machines[$0].client.loss != nil }
    heldUntil = now + max(WorldCut.hold, settings.drain(ofQueue: provider.queued)).nanoseconds
    switch cut.loop {
    case .abandonedRequests: provider.abandoned = .drop
    case .queue: while let place = provider.takeWaiting() { forget(place) }
    case .reconnects: heldUntil = max(heldUntil, min(acceptsAt, now + WorldSettings.longest.nanoseconds))
    case .retryAfter, .retries: break
    }
  }

  /// Returns whether a request cannot be answered before its caller goes; asked only if that loop is cut. In a long
  /// queue a provider that drops only abandoned requests works for callers that leave before the answer.
  func isTooLate(_ place: UInt32) -> Bool {
    guard let cut = settings.cut, cut.loop == .abandonedRequests, now >= cut.at.nanoseconds else { return false }
    let needed = settings.provider.longestTurn + settings.link.latency.upperBound
    return provider.requests[place].begunAt + settings.plan.fetchTimeout.nanoseconds <= now + needed.nanoseconds
  }

  /// Returns when a client whose loop is cut may continue; nil if it may now.
  private func release(of index: Int, _ loop: LoopCut) -> Int64? {
    guard let cut = settings.cut, cut.loop == loop, now >= cut.at.nanoseconds else { return nil }
    // Each client has one time, whatever it has done since.
    var chance = SeededGenerator(seed: settings.plan.seed ^ UInt64(index) &* 0x9E37_79B9_7F4A_7C15 ^ 0x6375_7421)
    let release = heldUntil + settings.spread.scaled(by: chance.nextShare()).nanoseconds
    return release > now ? release : nil
  }

  /// Delays a request whose loop is cut. Returns whether it did.
  mutating func delays(_ index: Int, _ number: UInt32, _ purpose: FetchPurpose) -> Bool {
    guard settings.cut != nil else { return false }
    let client = machines[index].client
    let call: Int
    switch purpose {
    case .login: call = 0
    case .refresh(let number): call = number
    case .hopelessRefresh, .sessionKey: return false
    }
    let isReturn = client.isReturning || (call == 0 && client.logins > 0)
    guard
      let release = (client.isRetrying ? release(of: index, .retries) : nil)
        ?? (isReturn ? release(of: index, .reconnects) : nil)
    else { return false }
    wheel.add(
      .released, at: release, subject: worldNumber(index),
      value: Int64(number) << Self.callBits | Int64(min(max(0, call), 1 << Self.callBits - 1)))
    return true
  }

  /// Makes a delayed request, if the client still wants it.
  mutating func release(_ event: WorldEvent, _ index: Int) {
    let number = UInt32(truncatingIfNeeded: event.value >> Self.callBits)
    let call = Int(event.value & (1 << Self.callBits - 1))
    guard machines[index].client.isWaiting(forFetch: number) else { return }
    if let answer = ask(index, number, call == 0 ? .login : .refresh(call: call)) { tell(index, answer) }
  }

  /// The number of bits of a request's call in an event.
  private static let callBits: Int64 = 31

  /// Delays a connection of a client that comes back. Returns whether it did.
  mutating func delaysDial(_ index: Int) -> Bool {
    guard settings.cut != nil, machines[index].client.isReturning, let release = release(of: index, .reconnects) else {
      return false
    }
    wheel.add(.redialled, at: release, subject: worldNumber(index), connection: machines[index].connection)
    return true
  }

  /// Returns a `Retry-After` as a client obeys it.
  mutating func heeded(_ told: Duration?) -> Duration? {
    guard let told, let cut = settings.cut, cut.loop == .retryAfter, now >= cut.at.nanoseconds else { return told }
    return told + settings.retryAfterSpread.scaled(by: provider.chance.nextShare())
  }

  /// Fills a share of the provider's queue with requests of callers that have gone.
  mutating func fillQueue(_ share: Double) {
    let wanted = Int((Double(provider.model.queue) * min(1, max(0, share))).rounded())
    while provider.queued < wanted {
      var request = TokenRequest(
        client: TokenRequest.nobody, number: 0, begunAt: now, life: settings.plan.life.nanoseconds, call: 0,
        isInstant: false)
      request.isAbandoned = true
      guard provider.wait(provider.requests.add(request)) else { break }
    }
    serveWaiting()
  }
}
